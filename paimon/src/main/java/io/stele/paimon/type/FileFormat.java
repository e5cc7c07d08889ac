package io.stele.paimon.type;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;
import java.util.Optional;

/** The formats of data files that this plugin decodes itself. */
public enum FileFormat {
    ORC,
    PARQUET;

    /** The prefix of names that are encoded as hexadecimal digits. */
    private static final String PREFIX = "x";

    /**
     * The format of that name; empty if Paimon's reader decodes it.
     *
     * @param name as Paimon has it, in lower case
     */
    public static Optional<FileFormat> find(String name) {
        return switch (name) {
            case "orc" -> Optional.of(ORC);
            case "parquet" -> Optional.of(PARQUET);
            default -> Optional.empty();
        };
    }

    /**
     * The name of a nested field in the types that files are decoded with. That of ORC keeps the
     * letters' case, which trino-orc drops.
     */
    String fieldName(String name) {
        return switch (this) {
            case ORC -> PREFIX + HexFormat.of().formatHex(name.getBytes(UTF_8));
            case PARQUET -> name;
        };
    }

    /** The name in the file of a nested field of ORC. */
    public static String orcName(String fieldName) {
        return new String(HexFormat.of().parseHex(fieldName.substring(PREFIX.length())), UTF_8);
    }
}
