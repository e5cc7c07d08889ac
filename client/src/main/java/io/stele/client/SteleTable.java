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
 * A client's handle of one table for lookups and scans by primary key, change feeds and new
 * writers. Lookups of different threads are sent together. If the table has changed, its
 * description is fetched again and the lookup is repeated. Thread-safe.
 */
public final class SteleTable {
    private static final int MAX_ATTEMPTS = 3;
    // 4096: with more keys, callers would wait for each other's replies anyway.
    private static final int MAX_KEYS_AT_ONCE = 4096;

    private final SteleClient client;
    private volatile Bound bound;

    SteleTable(SteleClient client, CachedTable table) {
        this.client = requireNonNull(client, "client is null");
        this.bound = new Bound(table);
    }

    /** The latest schema that this client has fetched. */
    public TableSchema schema() {
        return bound.table.schema();
    }

    /** The latest schema, statistics and routing that this client has fetched. */
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
     * A new bulk writer of a staged table that will replace this one. Its rows are durable when
     * they are acknowledged, and visible when a transaction publishes the staged table.
     *
     * @param staged the table from the sidecar's reply to its creation
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

    /** The newest row of a primary key, one value for each key column; empty if there is none. */
    public Optional<List<@Nullable Object>> get(@Nullable Object... key) {
        return multiGet(Collections.singletonList(key)).get(0);
    }

    /** The newest rows of primary keys, in the order of the keys. */
    public List<Optional<List<@Nullable Object>>> multiGet(List<@Nullable Object[]> keys) {
        return multiGet(keys, Optional.empty());
    }

    /**
     * The rows of primary keys at a snapshot, in the order of the keys.
     *
     * @throws SteleException an error such as TYPE_MISMATCH if a key is wrong; SNAPSHOT_EXPIRED if
     *     the snapshot's lease has expired; UNAVAILABLE if a sidecar cannot be reached
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
     * The newest rows of at most {@value #MAX_KEYS_AT_ONCE} primary keys, in the order of the keys.
     * The future completes on a thread of a connection, so dependent stages must not block. It
     * fails with the exceptions of {@link #multiGet(List, Optional)}.
     *
     * @throws SteleException if a key has the wrong type
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

    /**
     * The newest rows whose primary keys begin with some values, as {@link #scan(List,
     * ScanOptions)}, without a limit.
     */
    public RowScan scan(@Nullable Object... prefix) {
        return scan(Arrays.asList(prefix), ScanOptions.DEFAULT);
    }

    /**
     * The rows whose primary keys begin with some values, in the order of the keys, or against it
     * if the options say so; waits for the first pages. At most two pages of each shard are in
     * memory, so a slow caller slows down the sidecar's work. Each page has the newest rows, unless
     * the options have a snapshot. The caller must close a scan that it does not read to its end.
     *
     * @param prefix values of the first columns of the key; none: all rows
     * @throws SteleException INVALID_ARGUMENT if the table has no primary key or no row tablets, or
     *     the sidecar's version has no such scans; an error such as TYPE_MISMATCH if a value is
     *     wrong; UNAVAILABLE if a sidecar cannot be reached
     */
    public RowScan scan(List<? extends @Nullable Object> prefix, ScanOptions options) {
        return scan(KeyBounds.prefix(prefix), options);
    }

    /**
     * The rows whose primary keys are at or after some values and before others, as {@link
     * #scan(List, ScanOptions)}. Of these only the first columns of the key may be given: {@code
     * scanBetween(List.of(7, 2), List.of(8), options)} has the rows of 7 from 2 on.
     *
     * @param from values of the first columns of the key; none: from the first row on
     * @param before the same; none: to the last row
     */
    public RowScan scanBetween(
            List<? extends @Nullable Object> from,
            List<? extends @Nullable Object> before,
            ScanOptions options) {
        return scan(KeyBounds.between(from, before), options);
    }

    private RowScan scan(KeyBounds bounds, ScanOptions options) {
        for (int attempt = 1; ; attempt++) {
            CachedTable current = bound.table;
            try {
                return RowScan.open(client, current, bounds, options);
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
     * A change feed of a shard (numbered from 0); waits for the sidecar. The feeds of all shards
     * together have the changes of the table.
     *
     * @throws SteleException SNAPSHOT_EXPIRED if the first LSN is not in the table's retained
     *     history; INVALID_ARGUMENT if there is no such shard; UNAVAILABLE if a sidecar cannot be
     *     reached
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

    /** One version of the table, with its encoder and lookup batchers. */
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
