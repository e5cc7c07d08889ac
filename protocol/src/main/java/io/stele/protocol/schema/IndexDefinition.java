package io.stele.protocol.schema;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An index as users write it in the table property {@code indexes}: {@code name(column, ...)} or
 * {@code unique name(column, ...)}; names are folded to lower case.
 *
 * @param name the index
 * @param columns column names in key order
 * @param unique whether it is a unique index
 */
public record IndexDefinition(String name, List<String> columns, boolean unique) {
    private static final Pattern FORM =
            Pattern.compile("\\s*(unique\\s+)?([^\\s(),]+)\\s*\\(([^()]+)\\)\\s*");

    public IndexDefinition {
        requireNonNull(name, "name is null");
        columns = List.copyOf(columns);
    }

    /** Parses the text form; throws INVALID_ARGUMENT if it is malformed. */
    public static IndexDefinition parse(String text) {
        Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ENGLISH));
        if (!matcher.matches()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an index as 'name(column, ...)' or 'unique name(column, ...)', found '"
                            + text
                            + "'");
        }
        List<String> columns =
                Arrays.stream(matcher.group(3).split(",", -1)).map(String::strip).toList();
        return new IndexDefinition(matcher.group(2), columns, matcher.group(1) != null);
    }

    /** The text that {@link #parse} reads. */
    public String text() {
        return (unique ? "unique " : "") + name + "(" + String.join(", ", columns) + ")";
    }
}
