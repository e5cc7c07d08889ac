package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The name of a data set in Flight requests: a path (Stele: schema, table) or a command (Stele: the
 * JSON of a {@code PutTarget}).
 *
 * @param kind which of path and command is used
 */
public record FlightDescriptor(Kind kind, byte[] command, List<String> path) {
    /** The types of Flight.proto; the code is the ordinal. */
    public enum Kind {
        UNKNOWN,
        PATH,
        COMMAND
    }

    public FlightDescriptor {
        requireNonNull(kind, "kind is null");
        requireNonNull(command, "command is null");
        path = List.copyOf(path);
    }

    public static FlightDescriptor path(String... path) {
        return new FlightDescriptor(Kind.PATH, new byte[0], List.of(path));
    }

    public static FlightDescriptor command(byte[] command) {
        return new FlightDescriptor(Kind.COMMAND, command, List.of());
    }

    byte[] encode() {
        ProtoWriter writer = new ProtoWriter().integer(1, kind.ordinal()).bytes(2, command);
        for (String part : path) {
            writer.message(3, part.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        return writer.toByteArray();
    }

    static FlightDescriptor decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        Kind kind = Kind.UNKNOWN;
        byte[] command = new byte[0];
        List<String> path = new ArrayList<>();
        for (int field = reader.next(); field != 0; field = reader.next()) {
            switch (field) {
                case 1 -> kind = kind(reader.integer());
                case 2 -> command = reader.byteArray();
                case 3 -> path.add(reader.text());
                default -> {}
            }
        }
        return new FlightDescriptor(kind, command, path);
    }

    private static Kind kind(long code) {
        return code == 1 ? Kind.PATH : code == 2 ? Kind.COMMAND : Kind.UNKNOWN;
    }

    @Override
    public String toString() {
        return kind == Kind.PATH ? String.join(".", path) : kind + "[" + command.length + " bytes]";
    }
}
