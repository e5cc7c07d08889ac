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
 * The table of commits: for each writer the last committable that was committed, in the row of
 * sequence {@value #LAST}, and the newest ones each. A transaction changes it together with the
 * rows that it commits, so a record is there exactly if the rows are. Inserting the record of a
 * committable a second time fails with DUPLICATE_KEY, also while another process commits the same.
 *
 * <p>Records of a writer that has not committed for {@link #KEPT} expire. A savepoint that is
 * restored later than that commits again what it had not committed.
 */
final class CommitRecords {
    static final String TABLE = "commits";

    /** Longer than a job is stopped, as a rule; a record has about 100 bytes. */
    static final Duration KEPT = Duration.ofDays(90);

    private static final long LAST = 0;

    /** Only one process at a time commits for a writer; one that is late has at most one commit. */
    private static final int RECORDS = 16;

    private final SteleTable table;
    private final Clock clock;

    private CommitRecords(SteleTable table, Clock clock) {
        this.table = table;
        this.clock = clock;
    }

    /**
     * The table of a schema, made where it is missing.
     *
     * @param like a table whose shards it shares, so that a commit needs no others
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

    /** Whether a committable was committed. */
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

    /** The changes of this table that a transaction makes beside those of a committable. */
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

    /** A row of the table of commits and its effect. */
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
