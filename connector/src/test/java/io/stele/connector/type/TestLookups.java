package io.stele.connector.type;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.BigintType;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Constraints that cannot be lookups are known by their columns alone. */
final class TestLookups {
    /** A table of one shard: each shard sees only its own rows of an index. */
    private static TableSchema table(List<Integer> primaryKey, IndexSchema... indexes) {
        return TableSchema.builder("s", "t")
                .columns(
                        IntStream.rangeClosed(1, 4)
                                .mapToObj(
                                        id -> {
                                            ColumnSchema column =
                                                    new ColumnSchema(
                                                            id, "c" + id, DataType.parse("bigint"));
                                            return primaryKey.contains(id)
                                                    ? column.notNull()
                                                    : column;
                                        })
                                .toList())
                .primaryKey(primaryKey)
                .distributionKey(primaryKey)
                .options(TableOptions.NONE.withIndexes(List.of(indexes)))
                .build();
    }

    private static TupleDomain<SteleColumnHandle> on(Integer... columns) {
        return TupleDomain.withColumnDomains(
                List.of(columns).stream()
                        .collect(
                                Collectors.toMap(
                                        id ->
                                                new SteleColumnHandle(
                                                        id, "c" + id, BigintType.BIGINT),
                                        _ -> Domain.singleValue(BigintType.BIGINT, 1L))));
    }

    @Test
    void allColumnsOfTheKey() {
        TableSchema table = table(List.of(1, 2));
        assertThat(Lookups.bindsKey(table, on(1))).isFalse();
        assertThat(Lookups.bindsKey(table, on(2, 3))).isFalse();
        assertThat(Lookups.bindsKey(table, on(1, 2))).isTrue();
        assertThat(Lookups.bindsKey(table, on(1, 2, 3))).isTrue();
        assertThat(Lookups.bindsKey(table(List.of()), on(1, 2, 3, 4))).isFalse();
    }

    @Test
    void allColumnsOfAUniqueIndex() {
        TableSchema table =
                table(
                        List.of(1),
                        new IndexSchema(1, "many", List.of(2), false, true),
                        new IndexSchema(2, "one", List.of(3, 4), true, true));
        assertThat(Lookups.bindsKey(table, on(2))).isFalse();
        assertThat(Lookups.bindsKey(table, on(3))).isFalse();
        assertThat(Lookups.bindsKey(table, on(3, 4))).isTrue();
    }

    @Test
    void notByAFieldOfAColumn() {
        TupleDomain<SteleColumnHandle> onField =
                TupleDomain.withColumnDomains(
                        Map.of(
                                new SteleColumnHandle(1, "c1#field", BigintType.BIGINT, List.of(7)),
                                Domain.singleValue(BigintType.BIGINT, 1L)));
        assertThat(Lookups.bindsKey(table(List.of(1)), onField)).isFalse();
    }
}
