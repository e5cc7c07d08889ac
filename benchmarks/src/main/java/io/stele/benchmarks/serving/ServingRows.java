package io.stele.benchmarks.serving;

import io.stele.benchmarks.ingest.UserRows;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rows of 1 KB: a bigint and ten texts of 100 B, the same in all stores.
 *
 * <p>Immutable; safe for concurrent use.
 *
 * @param count rows with the ids 1 to {@code count}
 */
record ServingRows(long count) {
    static final String TABLE = "serving_rows";

    /** A key and the fields. */
    static final int COLUMNS = 1 + UserRows.FIELDS;

    private static final UserRows CONTENT = new UserRows(28);

    static final String GET = "SELECT * FROM bench." + TABLE + " WHERE id = ";
    static final String MULTI_GET = "SELECT * FROM bench." + TABLE + " WHERE id = ANY (?)";
    static final String UPSERT =
            "INSERT INTO bench."
                    + TABLE
                    + " VALUES (%s) ON CONFLICT (id) DO UPDATE SET "
                    + IntStream.range(0, UserRows.FIELDS)
                            .mapToObj(field -> "field%d = EXCLUDED.field%d".formatted(field, field))
                            .collect(Collectors.joining(", "));

    /** The id, then the fields. */
    static Object[] values(long id) {
        Object[] values = new Object[COLUMNS];
        values[0] = id;
        for (int field = 0; field < UserRows.FIELDS; field++) {
            values[1 + field] = CONTENT.field(id, field);
        }
        return values;
    }

    /** A row as the text format of COPY has it. */
    static String copyLine(long id) {
        StringBuilder line = new StringBuilder(1100);
        line.append(id);
        for (int field = 0; field < UserRows.FIELDS; field++) {
            line.append('\t').append(CONTENT.field(id, field).replace("\\", "\\\\"));
        }
        return line.append('\n').toString();
    }
}
