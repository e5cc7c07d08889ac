package io.stele.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * A store in memory and a clock, on which a test opens catalogs as several processes do. Only waits
 * and the test itself move the clock. Confined to one thread.
 */
final class CatalogFixture {
    private static final long RETENTION_MILLIS = 3_600_000;

    private final ObjectStore store = new InMemoryObjectStore();
    private long now = 5_000_000L << 16;

    ObjectStore store() {
        return store;
    }

    /** The value of the LSN of the present moment. */
    long now() {
        return now;
    }

    void advance(long millis) {
        now += millis << 16;
    }

    /** Opens the catalog of the fixture's store. */
    CatalogService open(long writer) {
        return open(store, writer, Assertions::fail);
    }

    CatalogService open(ObjectStore over, long writer, Consumer<Throwable> failures) {
        return CatalogService.open(
                new CatalogStore(over, new UUID(0, writer)),
                RETENTION_MILLIS,
                () -> new Lsn(now),
                this::advance,
                failures);
    }

    /** Opens a catalog of another store, under a clock that stands still. */
    static CatalogService open(ObjectStore over) {
        return CatalogService.open(
                new CatalogStore(over, new UUID(0, 7)),
                RETENTION_MILLIS,
                () -> new Lsn(1),
                millis -> {},
                Assertions::fail);
    }

    static void refuses(ErrorCode code, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining("Expected")
                .hasMessageContaining("found")
                .hasMessageContaining(message);
    }

    static void refusesUnknown(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED))
                .hasMessageContaining("It is not known whether");
    }

    static TableBuilder table(String schemaName, String tableName) {
        return new TableBuilder(schemaName, tableName);
    }

    /** Definitions with a bigint key and a second column. */
    static final class TableBuilder {
        private final String schemaName;
        private final String tableName;
        private List<Integer> primaryKey = List.of(1);
        private List<Integer> clusteringKey = List.of();
        private Orientation orientation = Orientation.COLUMN;
        private int shardCount = 1;
        private String secondColumn = "amount";
        private Optional<String> comment = Optional.empty();

        TableBuilder(String schemaName, String tableName) {
            this.schemaName = schemaName;
            this.tableName = tableName;
        }

        TableBuilder primaryKey(Integer... columnIds) {
            primaryKey = List.of(columnIds);
            return this;
        }

        TableBuilder clusteringKey(Integer... columnIds) {
            clusteringKey = List.of(columnIds);
            return this;
        }

        TableBuilder orientation(Orientation value) {
            orientation = value;
            return this;
        }

        TableBuilder shards(int count) {
            shardCount = count;
            return this;
        }

        TableBuilder column(String name) {
            secondColumn = name;
            return this;
        }

        TableBuilder comment(String text) {
            comment = Optional.of(text);
            return this;
        }

        TableSchema build() {
            return TableSchema.builder(schemaName, tableName)
                    .columns(
                            List.of(
                                    new ColumnSchema(1, "id", DataType.parse("bigint")).notNull(),
                                    new ColumnSchema(
                                            2, secondColumn, DataType.parse("decimal(12,2)"))))
                    .primaryKey(primaryKey)
                    .clusteringKey(clusteringKey)
                    .orientation(orientation)
                    .shardCount(shardCount)
                    .comment(comment)
                    .build();
        }
    }
}
