package io.stele.sidecar.postgresql.catalog.relation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A formatter and parser of PostgreSQL's text format of arrays with one dimension, for catalog
 * queries: {@code {a,"b c",NULL}}.
 */
public final class ArrayText {
    /** More elements than any client needs. */
    private static final int MAX_ELEMENTS = 100_000;

    private ArrayText() {}

    public static String format(List<Object> values, Function<Object, String> element) {
        StringBuilder text = new StringBuilder("{");
        for (Object value : values) {
            if (text.length() > 1) {
                text.append(',');
            }
            text.append(value == CatalogValues.NULL ? "NULL" : quote(element.apply(value)));
        }
        return text.append('}').toString();
    }

    private static String quote(String text) {
        boolean isPlain =
                !text.isEmpty()
                        && !text.equalsIgnoreCase("null")
                        && text.chars().noneMatch(c -> "{},\"\\".indexOf(c) >= 0 || c <= ' ');
        return isPlain ? text : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** The elements of an array literal, or of a vector, which has blanks between them. */
    public static List<Object> parse(String text, int elementType) {
        String trimmed = text.strip();
        boolean isVector = !trimmed.startsWith("{");
        if (!isVector && !trimmed.endsWith("}")) {
            throw CatalogValues.invalid("an array such as {a,b}", "'" + text + "'");
        }
        String body = isVector ? trimmed : trimmed.substring(1, trimmed.length() - 1);
        List<Object> elements = new ArrayList<>();
        int position = 0;
        while (position < body.length()) {
            if (elements.size() == MAX_ELEMENTS) {
                throw CatalogValues.invalid(
                        "an array of at most " + MAX_ELEMENTS + " elements", "more");
            }
            StringBuilder element = new StringBuilder();
            boolean isQuoted = body.charAt(position) == '"';
            position = isQuoted ? quoted(body, position + 1, element) : position;
            int end = position;
            while (end < body.length() && body.charAt(end) != (isVector ? ' ' : ',')) {
                end++;
            }
            if (!isQuoted) {
                element.append(body.substring(position, end).strip());
            }
            boolean isNull = !isQuoted && element.toString().equalsIgnoreCase("null");
            elements.add(isNull ? CatalogValues.NULL : read(element.toString(), elementType));
            position = end + 1;
        }
        return elements;
    }

    private static int quoted(String body, int start, StringBuilder element) {
        int position = start;
        while (position < body.length() && body.charAt(position) != '"') {
            if (body.charAt(position) == '\\' && position + 1 < body.length()) {
                position++;
            }
            element.append(body.charAt(position++));
        }
        return Math.min(position + 1, body.length());
    }

    private static Object read(String text, int type) {
        if (type == TypeOids.BOOL) {
            return CatalogValues.bool(text);
        }
        if (type == TypeOids.NUMERIC) {
            return CatalogValues.decimal(text);
        }
        return TypeOids.isNumber(type) ? (Object) CatalogValues.integer(text) : text;
    }
}
