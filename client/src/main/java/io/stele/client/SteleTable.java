package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.client.flight.FlightClient;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table to look rows up in by primary key. Lookups of different threads travel together. When the
 * table changes, it is fetched again and the lookup repeated. Thread-safe.
 */
public final class SteleTable {
    private static final int MAX_ATTEMPTS = 3;
    // 4096: beyond, callers wait for each other's answers anyway.
    private static final int MAX_KEYS_AT_ONCE = 4096;

    private final SteleClient client;
    private volatile Bound bound;

    SteleTable(SteleClient client, CachedTable table) {
        this.client = requireNonNull(client, "client is null");
        this.bound = new Bound(table);
    }

    /** The latest schema that this client has loaded. */
    public TableSchema schema() {
        return bound.table.schema();
    }

    /** The latest schema, statistics and routing that this client has loaded. */
    public TableDescription description() {
        return bound.table.description();
    }

    /** A new writer of this table. */
    public TableWriter writer() {
        return client.newWriter(bound.table);
    }

    /** A new bulk writer of this table, over Flight. */
    public BulkWriter bulkWriter() {
        return client.newBulkWriter(bound.table);
    }

    /**
     * A new bulk writer of a table that was created as staged to take this one's place. Its rows
     * are durable when they are acknowledged, and visible when a transaction publishes it.
     *
     * @param staged as the sidecar described it when it was created
     */
    public BulkWriter bulkWriter(TableSchema staged) {
        requireNonNull(staged, "staged is null");
        return client.newBulkWriter(bound.table, staged, Optional.empty());
    }

    /** A Flight client of the sidecar that owns a shard of this table; closed with the client. */
    public FlightClient flight(int shardIndex) {
        Endpoint endpoint = bound.table.flight(shardIndex);
        return client.flight(endpoint.host(), endpoint.port());
    }

    /** The newest row of a primary key, one value a key column; empty where there is none. */
    public Optional<List<@Nullable Object>> get(@Nullable Object... key) {
        return multiGet(Collections.singletonList(key)).get(0);
    }

    /** The newest rows of primary keys, in their order. */
    public List<Optional<List<@Nullable Object>>> multiGet(List<@Nullable Object[]> keys) {
        return multiGet(keys, Optional.empty());
    }

    /**
     * The rows of primary keys at a snapshot, in the order of the keys.
     *
     * @throws SteleException TYPE_MISMATCH and the like: a key has the wrong type;
     *     READ_POINT_EXPIRED: the snapshot's lease has expired; UNAVAILABLE: a sidecar cannot be
     *     reached
     */
    public List<Optional<List<@Nullable Object>>> multiGet(
            List<@Nullable Object[]> keys, Optional<Lsn> readLsn) {
        for (int attempt = 1; ; attempt++) {
            Bound current = bound;
            try {
                return lookup(current, keys, readLsn);
            } catch (SteleException e) {
                if (e.code() != ErrorCode.STALE_TABLE || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
                TableSchema schema = current.table.schema();
                bound =
                        new Bound(
                                SteleClient.await(
                                        client.describe(schema.schemaName(), schema.tableName())));
            }
        }
    }

    /**
     * The newest rows of at most {@value #MAX_KEYS_AT_ONCE} primary keys, in their order. The
     * future completes on a thread of a connection, so stages that depend on it must not block; it
     * fails with what {@link #multiGet(List, Optional)} throws.
     *
     * @throws SteleException a key has the wrong type
     */
    public CompletableFuture<List<Optional<List<@Nullable Object>>>> multiGetAsync(
            List<@Nullable Object[]> keys) {
        if (keys.size() > MAX_KEYS_AT_ONCE) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most " + MAX_KEYS_AT_ONCE + " keys, found " + keys.size());
        }
        return multiGetAsync(keys, 1);
    }

    private CompletableFuture<List<Optional<List<@Nullable Object>>>> multiGetAsync(
            List<@Nullable Object[]> keys, int attempt) {
        Bound current = bound;
        List<CompletableFuture<LookupBatcher.Found>> found =
                current.start(client, keys, Optional.empty()).stream()
                        .map(LookupBatcher.Lookup::result)
                        .toList();
        return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
                .thenApply(
                        done ->
                                found.stream()
                                        .map(row -> current.row(row.join()))
                                        .collect(Collectors.toList()))
                .exceptionallyCompose(
                        thrown -> {
                            SteleException failure = SteleClient.toSteleException(thrown);
                            if (failure.code() != ErrorCode.STALE_TABLE
                                    || attempt == MAX_ATTEMPTS) {
                                return CompletableFuture.failedFuture(failure);
                            }
                            TableSchema schema = current.table.schema();
                            return client.describe(schema.schemaName(), schema.tableName())
                                    .thenCompose(
                                            table -> {
                                                bound = new Bound(table);
                                                return multiGetAsync(keys, attempt + 1);
                                            });
                        });
    }

    /** {@link #scan(List, ScanOptions)} of the newest rows, without a limit. */
    public RowScan scan(@Nullable Object... prefix) {
        return scan(Arrays.asList(prefix), ScanOptions.DEFAULT);
    }

    /**
     * The rows whose primary keys begin with some values, in the order of the keys; waits for the
     * first pages. No more than two pages of each shard are in memory, so a caller that takes its
     * time holds the sidecar's work up. Each page has the newest rows, unless the options name a
     * snapshot. Close the scan when you do not read it to its end.
     *
     * @param prefix values of the first columns of the key; none: all rows
     * @throws SteleException INVALID_ARGUMENT: the table has no primary key or no row tablets, or
     *     the sidecar is of a version without scans; TYPE_MISMATCH and the like: a value has the
     *     wrong type; UNAVAILABLE: a sidecar cannot be reached
     */
    public RowScan scan(List<? extends @Nullable Object> prefix, ScanOptions options) {
        for (int attempt = 1; ; attempt++) {
            CachedTable current = bound.table;
            try {
                return RowScan.open(client, current, prefix, options);
            } catch (SteleException e) {
                if (e.code() != ErrorCode.STALE_TABLE || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
                TableSchema schema = current.schema();
                bound =
                        new Bound(
                                SteleClient.await(
                                        client.describe(schema.schemaName(), schema.tableName())));
            }
        }
    }

    /**
     * A feed of the changes of a shard, from 0 on; waits for the sidecar. All shards together have
     * the changes of the table.
     *
     * @throws SteleException READ_POINT_EXPIRED: the LSN to begin after is not in the table's
     *     retained history; INVALID_ARGUMENT: there is no such shard; UNAVAILABLE: a sidecar cannot
     *     be reached
     */
    public ShardChanges changes(int shard, ChangeOptions options) {
        return ShardChanges.open(client, bound.table, shard, options);
    }

    private List<Optional<List<@Nullable Object>>> lookup(
            Bound current, List<@Nullable Object[]> keys, Optional<Lsn> readLsn) {
        List<Optional<List<@Nullable Object>>> rows = new ArrayList<>(keys.size());
        for (int from = 0; from < keys.size(); from += MAX_KEYS_AT_ONCE) {
            int to = Math.min(keys.size(), from + MAX_KEYS_AT_ONCE);
            List<LookupBatcher.Lookup> lookups =
                    current.start(client, keys.subList(from, to), readLsn);
            for (LookupBatcher.Lookup lookup : lookups) {
                rows.add(current.row(SteleClient.await(lookup.result())));
            }
        }
        return rows;
    }

    /** One version of the table and its batchers. */
    private static final class Bound {
        private final CachedTable table;
        private final RowBinding encoding;
        private final Map<Connection, LookupBatcher> batchers = new HashMap<>();

        Bound(CachedTable table) {
            this.table = table;
            this.encoding = new RowBinding(table);
        }

        List<LookupBatcher.Lookup> start(
                SteleClient client, List<@Nullable Object[]> keys, Optional<Lsn> readLsn) {
            List<LookupBatcher.Lookup> all = new ArrayList<>(keys.size());
            Map<LookupBatcher, List<LookupBatcher.Lookup>> byBatcher = new HashMap<>();
            synchronized (this) {
                Map<Connection, LookupBatcher> used =
                        readLsn.isEmpty() ? batchers : new HashMap<>();
                for (@Nullable Object[] values : keys) {
                    byte[] key = encoding.encodeKey(values);
                    Connection connection =
                            client.connection(table.owner(encoding.shardOfKey(key)));
                    LookupBatcher batcher =
                            used.computeIfAbsent(connection, owner -> batcher(owner, readLsn));
                    LookupBatcher.Lookup lookup =
                            new LookupBatcher.Lookup(key, new CompletableFuture<>());
                    all.add(lookup);
                    byBatcher.computeIfAbsent(batcher, ignored -> new ArrayList<>()).add(lookup);
                }
            }
            byBatcher.forEach(LookupBatcher::add);
            return all;
        }

        private LookupBatcher batcher(Connection connection, Optional<Lsn> readLsn) {
            return new LookupBatcher(
                    connection, table.schema().id(), table.schema().schemaVersion(), readLsn);
        }

        Optional<List<@Nullable Object>> row(LookupBatcher.Found found) {
            if (found.schemaVersion() != table.schema().schemaVersion()) {
                throw new SteleException(
                        ErrorCode.STALE_TABLE,
                        "Expected rows of version "
                                + table.schema().schemaVersion()
                                + " of table "
                                + table.schema().qualifiedName()
                                + ", found version "
                                + found.schemaVersion());
            }
            return found.row()
                    .map(
                            bytes -> {
                                encoding.layout().validateStructure(bytes, 0, bytes.length);
                                return Rows.toObjects(new BinaryRow(encoding.layout()).wrap(bytes));
                            });
        }
    }
}
