package io.stele.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One of the 22 queries of TPC-H (specification 3.0, validation parameters) in Trino's SQL, with
 * the standard's column names and without a schema. In Q11 and Q18 the order is made total or the
 * validation's, and Q15 rounds its sums: they are compared with themselves.
 *
 * @param name q01 to q22
 */
public record TpchQuery(String name, String sql) {
    /** The names of the tables, largest first. */
    public static final List<String> TABLES =
            List.of(
                    "lineitem",
                    "orders",
                    "customer",
                    "part",
                    "supplier",
                    "partsupp",
                    "nation",
                    "region");

    private static final int COUNT = 22;

    public TpchQuery {
        requireNonNull(name, "name is null");
        requireNonNull(sql, "sql is null");
    }

    /** All of them, in their order. */
    public static List<TpchQuery> all() {
        return IntStream.rangeClosed(1, COUNT).mapToObj(TpchQuery::load).toList();
    }

    private static TpchQuery load(int number) {
        String name = "q%02d".formatted(number);
        try (InputStream text = TpchQuery.class.getResourceAsStream("tpch/" + name + ".sql")) {
            return new TpchQuery(
                    name, new String(requireNonNull(text, name).readAllBytes(), UTF_8).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
