package io.stele.sidecar.postgresql.catalog;

/** A text whose characters count as steps: it ends regular expressions that would take forever. */
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
