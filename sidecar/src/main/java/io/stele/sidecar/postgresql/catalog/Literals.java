package io.stele.sidecar.postgresql.catalog;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.statement.select.Select;

/** A reader of names and literals in the parser's tree of a catalog query. Stateless. */
final class Literals {
    private static final Pattern LENGTH = Pattern.compile("\\((\\d{1,9})\\)");

    private Literals() {}

    /** A name: without quotes, or in lower case. */
    static String name(String written) {
        boolean isQuoted =
                written.length() > 1 && written.startsWith("\"") && written.endsWith("\"");
        return isQuoted
                ? written.substring(1, written.length() - 1).replace("\"\"", "\"")
                : written.toLowerCase(Locale.ROOT);
    }

    static String text(StringValue value) {
        String prefix = String.valueOf(value.getPrefix());
        String text = value.getValue().replace("''", "'");
        return prefix.equalsIgnoreCase("E") ? unescape(text) : text;
    }

    private static String unescape(String text) {
        StringBuilder plain = new StringBuilder();
        for (int index = 0; index < text.length(); index++) {
            char character = text.charAt(index);
            if (character == '\\' && index + 1 < text.length()) {
                char escaped = text.charAt(++index);
                plain.append(
                        switch (escaped) {
                            case 'n' -> '\n';
                            case 't' -> '\t';
                            case 'r' -> '\r';
                            default -> escaped;
                        });
            } else {
                plain.append(character);
            }
        }
        return plain.toString();
    }

    /** The length of a type such as {@code varchar(3)}; 0: none. */
    static int length(String type) {
        Matcher matcher = LENGTH.matcher(type);
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    /** The query inside of an expression, with or without brackets around it. */
    static Select select(Expression expression) {
        return switch (expression) {
            case Select select -> select;
            case ExpressionList<?> list when list.size() == 1 -> select(list.get(0));
            default -> throw CatalogValues.invalid("a query in brackets", expression);
        };
    }

    /** Whether a function is {@code any(array)}, {@code some(array)} or {@code all(array)}. */
    static boolean isQuantifier(Function function) {
        return switch (function.getName().toLowerCase(Locale.ROOT)) {
            case "any", "some", "all" -> function.getParameters() != null;
            default -> false;
        };
    }
}
