package io.stele.sidecar.postgresql.catalog;

/**
 * A text that counts each character read as a step of a catalog query, so that the query's time
 * limit also ends regular expressions.
 */
record StepCountingText(String text, QueryContext context) implements CharSequence {
    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        context.step();
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return new StepCountingText(text.substring(start, end), context);
    }

    @Override
    public String toString() {
        return text;
    }
}
