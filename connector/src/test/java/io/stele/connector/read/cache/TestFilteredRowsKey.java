package io.stele.connector.read.cache;

import static io.trino.spi.type.BigintType.BIGINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.handle.FileSplitFixture;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.RowType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whatever says which rows are kept, and as what, makes another key. */
final class TestFilteredRowsKey {
    private static final SteleColumnHandle A = new SteleColumnHandle(1, "a", BIGINT);
    private static final SteleColumnHandle B = new SteleColumnHandle(2, "b", BIGINT);

    private static SteleTableHandle table(List<Integer> fieldIds) {
        return new SteleTableHandle(
                TableSchema.builder("s", "t")
                        .id(new TableId(7))
                        .columns(
                                List.of(
                                        new ColumnSchema(1, "a", DataType.parse("bigint")),
                                        new ColumnSchema(2, "b", DataType.parse("bigint")),
                                        new ColumnSchema(
                                                3,
                                                "r",
                                                DataType.parse("row(x bigint, y bigint)"),
                                                true,
                                                Optional.empty(),
                                                fieldIds)))
                        .build(),
                "snapshot",
                100);
    }

    private static SteleFileSplit split(String path, long start, long length) {
        return new FileSplitFixture(path, 1_000).part(start, length).maxLsn(50).build();
    }

    private static FilteredRowsKey key(
            List<Integer> fieldIds, SteleFileSplit split, SteleColumnHandle... wanted) {
        return FilteredRowsKey.of(table(fieldIds), split, List.of(wanted), TupleDomain.all())
                .orElseThrow();
    }

    @Test
    void allThatSaysWhatRowsAreIsInIt() {
        SteleFileSplit whole = split("data/7/0/a.orc", 0, 1_000);
        SteleColumnHandle row = new SteleColumnHandle(3, "r", RowType.anonymousRow(BIGINT, BIGINT));
        List<Integer> ids = List.of(10, 11);
        List<FilteredRowsKey> keys = new ArrayList<>();
        keys.add(key(ids, whole, A));
        keys.add(key(ids, whole, B));
        keys.add(key(ids, whole, A, B));
        keys.add(key(ids, whole, B, A));
        keys.add(key(ids, whole, row));
        keys.add(key(List.of(10, 12), whole, row)); // a field was dropped and added again
        keys.add(key(ids, split("data/7/0/a.orc", 0, 500), A));
        keys.add(key(ids, split("data/7/0/a.orc", 500, 500), A));
        keys.add(key(ids, split("data/7/0/b.orc", 0, 1_000), A));
        assertThat(keys).doesNotHaveDuplicates();
        assertThat(key(List.of(10, 12), whole, A)).isEqualTo(keys.getFirst());
    }
}
