package io.stele.benchmarks.s3keys;

import java.util.List;
import java.util.stream.Collectors;

/** The statement that replaces rows by key, and adds those whose key is new. */
final class Upsert {
    private Upsert() {}

    /**
     * An INSERT into a table of Stele, and a MERGE into one of Iceberg.
     *
     * @param changes the table of new rows, with the same columns
     * @param keys of its columns
     * @param columns all of them
     */
    static String sql(
            boolean isStele,
            String table,
            String changes,
            List<String> keys,
            List<String> columns) {
        if (isStele) {
            return "INSERT INTO %s SELECT * FROM %s".formatted(table, changes);
        }
        return "MERGE INTO %s t USING %s c ON %s WHEN MATCHED THEN UPDATE SET %s WHEN NOT MATCHED THEN INSERT VALUES (%s)"
                .formatted(
                        table,
                        changes,
                        joined(keys, "t.%1$s = c.%1$s", " AND "),
                        joined(
                                columns.stream().filter(column -> !keys.contains(column)).toList(),
                                "%1$s = c.%1$s",
                                ", "),
                        joined(columns, "c.%1$s", ", "));
    }

    private static String joined(List<String> columns, String pattern, String separator) {
        return columns.stream().map(pattern::formatted).collect(Collectors.joining(separator));
    }
}
