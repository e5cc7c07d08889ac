package io.stele.engine.row;

import io.stele.protocol.SteleException;
import io.stele.protocol.row.KeyEncoder;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The formatting of encoded keys as readable column names and values, for messages. */
public final class KeyText {
    private static final int MAX_VALUE_CHARACTERS = 100; // a value can have 64 KiB and more

    private KeyText() {}

    /** The names and values of an encoded key: {@code (id = 7, name = x)}. */
    public static String of(KeyEncoder encoder, byte[] key) {
        List<?> values;
        try {
            values = encoder.decode(key);
        } catch (SteleException unreadable) {
            return cut(HexFormat.of().formatHex(key));
        }
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < values.size(); i++) {
            text.append(i == 0 ? "" : ", ")
                    .append(encoder.columns().get(i).name())
                    .append(" = ")
                    .append(text(values.get(i)));
        }
        return text.append(")").toString();
    }

    private static String text(@Nullable Object value) {
        return cut(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : "" + value);
    }

    private static String cut(String text) {
        return text.length() <= MAX_VALUE_CHARACTERS
                ? text
                : text.substring(0, MAX_VALUE_CHARACTERS) + "...";
    }
}
