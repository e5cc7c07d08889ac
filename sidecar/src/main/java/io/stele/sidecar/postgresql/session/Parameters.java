package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.plan.ParameterTypes;
import io.stele.sidecar.postgresql.type.BinaryFormat;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.Message;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.nio.ByteBuffer;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The decoder of a Bind message's parameter values, from text or binary format. Stateless. */
final class Parameters {
    private Parameters() {}

    /**
     * Decodes the values into the classes of their types.
     *
     * @param types of the first values; further values, which the statement does not use, are texts
     * @throws PostgresException PROTOCOL_VIOLATION for a wrong number of formats or values; other
     *     states for an invalid value
     */
    static List<@Nullable Object> read(
            List<ParameterTypes.Type> types,
            List<Integer> formats,
            List<Optional<byte[]>> values,
            ZoneId zone) {
        if (formats.size() > 1 && formats.size() != values.size()) {
            throw violation(values.size() + " formats of parameters", formats.size());
        }
        if (values.size() < types.size()) {
            throw violation(types.size() + " parameters", values.size());
        }
        List<@Nullable Object> read = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            ParameterTypes.Type type = i < types.size() ? types.get(i) : ParameterTypes.TEXT;
            byte[] bytes = values.get(i).orElse(null);
            read.add(bytes == null ? null : read(type, Formats.of(formats, i), bytes, zone, i));
        }
        return read;
    }

    private static Object read(
            ParameterTypes.Type type, int format, byte[] bytes, ZoneId zone, int index) {
        try {
            if (format == Formats.BINARY) {
                return type.array()
                        ? BinaryFormat.readArray(type.type(), bytes)
                        : BinaryFormat.read(type.type(), bytes);
            }
            if (format != Formats.TEXT) {
                throw violation("format 0 or 1", format);
            }
            String text = Message.decode(ByteBuffer.wrap(bytes));
            return type.array()
                    ? TextFormat.readArray(type.type(), text, zone)
                    : TextFormat.read(type.type(), text, zone);
        } catch (PostgresException wrong) {
            throw new PostgresException(
                    wrong.state(), "%s, as parameter $%s".formatted(wrong.getMessage(), index + 1));
        }
    }

    private static PostgresException violation(String expected, int found) {
        return new PostgresException(
                SqlState.PROTOCOL_VIOLATION, "Expected %s, found %s".formatted(expected, found));
    }

    /**
     * Decodes the values into texts. Text-format values may be of unknown types; binary values may
     * not.
     *
     * @param oids of the types
     */
    static List<@Nullable Object> readTexts(
            List<Integer> oids, List<Integer> formats, List<Optional<byte[]>> values, ZoneId zone) {
        if (formats.size() > 1 && formats.size() != values.size()) {
            throw violation(values.size() + " formats of parameters", formats.size());
        }
        List<@Nullable Object> texts = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            byte[] bytes = values.get(i).orElse(null);
            if (bytes == null) {
                texts.add(null);
            } else if (Formats.of(formats, i) == Formats.TEXT) {
                texts.add(Message.decode(ByteBuffer.wrap(bytes)));
            } else {
                ParameterTypes.Type type =
                        new ParameterTypes(List.of(i < oids.size() ? oids.get(i) : 0)).first();
                texts.add(TextFormat.write(read(type, Formats.BINARY, bytes, zone, i)));
            }
        }
        return texts;
    }

    /** The values of {@link #readTexts}. */
    static List<Optional<String>> texts(List<? extends @Nullable Object> values) {
        List<Optional<String>> texts = new ArrayList<>(values.size());
        for (Object value : values) {
            texts.add(Optional.ofNullable((String) value));
        }
        return texts;
    }
}
