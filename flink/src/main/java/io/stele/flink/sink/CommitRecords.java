package io.stele.flink.sink;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The table of commits of exactly-once sinks, which makes a repeated commit harmless. For each
 * writer it has its last committed committable, in the row of sequence {@value #LAST}, and one row
 * for each of the newest ones. A transaction writes a record together with the rows that it
 * commits, so a record exists exactly if the rows do. A second insert of the same record fails with
 * DUPLICATE_KEY, even if another process commits at the same time.
 *
 * <p>Records of a writer expire {@link #KEPT} after its last commit. A savepoint that is restored
 * later than that commits the same rows again. All requests block.
 */
final class CommitRecords {
    static final String TABLE = "commits";

    /** Longer than jobs are usually stopped; a record has about 100 bytes. */
    static final Duration KEPT = Duration.ofDays(90);

    private static final long LAST = 0;

    /** Only one process at a time commits for a writer, and a late one has at most one commit. */
    private static final int RECORDS = 16;

    private final SteleTable table;
    private final Clock clock;

    private CommitRecords(SteleTable table, Clock clock) {
        this.table = table;
        this.clock = clock;
    }

    /**
     * Opens the table of commits of a schema; creates it if it is missing.
     *
     * @param like a table with the same shards, so that a commit needs no others
     */
    static CommitRecords open(SteleClient client, SteleTable like, String schemaName, Clock clock) {
        try {
            return new CommitRecords(client.table(schemaName, TABLE), clock);
        } catch (SteleException missing) {
            if (missing.code() != ErrorCode.TABLE_NOT_FOUND
                    && missing.code() != ErrorCode.SCHEMA_NOT_FOUND) {
                throw missing;
            }
        }
        FlightClient flight = like.flight(0);
        flight.action(CatalogActions.CREATE_SCHEMA, new CreateSchemaRequest(schemaName, true));
        flight.action(
                CatalogActions.CREATE_TABLE,
                new CreateTableRequest(
                        schema(schemaName, like.schema().shardCount()), "", false, true));
        return new CommitRecords(client.table(schemaName, TABLE), clock);
    }

    private static TableSchema schema(String schemaName, int shardCount) {
        return TableSchema.builder(schemaName, TABLE)
                .columns(
                        List.of(
                                new ColumnSchema(1, "writer_id", ScalarType.UUID).notNull(),
                                new ColumnSchema(2, "sequence", ScalarType.BIGINT).notNull(),
                                new ColumnSchema(3, "last_sequence", ScalarType.BIGINT),
                                new ColumnSchema(4, "table_name", VarcharType.VARCHAR),
                                new ColumnSchema(5, "row_count", ScalarType.BIGINT),
                                new ColumnSchema(
                                        6, "committed_at", TimestampType.ofAllYears(3, true))))
                .primaryKey(List.of(1, 2))
                .distributionKey(List.of(1))
                .orientation(Orientation.ROW)
                .shardCount(shardCount)
                .comment(Optional.of("Commits of the Flink connector"))
                .options(
                        new TableOptions(
                                OptionalLong.empty(),
                                OptionalLong.of(KEPT.toMillis()),
                                List.of(),
                                List.of(),
                                List.of(),
                                List.of()))
                .build();
    }

    TableSchema schema() {
        return table.schema();
    }

    /** Whether a committable has been committed. */
    boolean has(Committable committable) {
        List<Optional<List<@Nullable Object>>> found =
                table.multiGet(
                        List.of(
                                new Object[] {committable.writerId(), LAST},
                                new Object[] {committable.writerId(), committable.sequence()}));
        if (found.get(1).isPresent()) {
            return true;
        }
        return found.get(0)
                .map(row -> row.get(2))
                .filter(last -> (Long) last >= committable.sequence())
                .isPresent();
    }

    /** The rows of this table that a transaction writes together with those of a committable. */
    List<RecordRows> of(Committable committable, String tableName) {
        List<RecordRows> rows = new ArrayList<>();
        rows.add(
                new RecordRows(
                        PutMode.INSERT,
                        table.schema().columns(),
                        record(committable, committable.sequence(), tableName)));
        rows.add(
                new RecordRows(
                        PutMode.UPSERT,
                        table.schema().columns(),
                        record(committable, LAST, tableName)));
        if (committable.sequence() > RECORDS) {
            UUID writer = committable.writerId();
            rows.add(
                    new RecordRows(
                            PutMode.DELETE,
                            table.schema().primaryKeyColumns(),
                            List.of(writer, committable.sequence() - RECORDS)));
        }
        return rows;
    }

    /** A row of the table of commits, and its effect. */
    record RecordRows(PutMode mode, List<ColumnSchema> columns, List<Object> values) {}

    private List<Object> record(Committable committable, long sequence, String tableName) {
        return List.of(
                committable.writerId(),
                sequence,
                committable.sequence(),
                tableName,
                committable.rowCount(),
                clock.instant().truncatedTo(ChronoUnit.MILLIS));
    }
}
