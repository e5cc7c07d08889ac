package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.EvolvingRows.Written;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Coordinator;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.SchemaEditor;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Columns and nested fields that come, go, change their names and types, between upserts,
 * deletions, inserts and partial updates of many batches in flight, transactions of rows and worker
 * files, flushes, compactions and crashes.
 *
 * <p>A shard's client writes rows of the version it knows until it is refused, and then encodes
 * again what was refused. Every reader finds every row as it was written, brought to the reader's
 * version by {@link EvolvingRows}. Snapshots older than a change are read too, by the columns they
 * had and by the present ones.
 */
final class EvolutionWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final long TRANSACTIONS = 1_000; // ids from here on are the transactions'

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final EvolvingRows rows;
    private final EvolvingTable table;
    private final boolean keyed;
    private final Orientation orientation;
    private final UUID writerId;
    private final int ids;
    private final Map<ShardId, Client> clients = new HashMap<>();
    private final Map<String, Written> written = new HashMap<>(); // by the text in the histories
    private final PinnedReads<Pin> pins;
    private final List<Part> transactions = new ArrayList<>();
    private long nextId = TRANSACTIONS;
    private long nextFile;
    private long acknowledged;

    private EvolutionWorkload(Simulation simulation, Orientation orientation, boolean keyed) {
        this.simulation = simulation;
        this.random = simulation.newRandom();
        this.node = simulation.node();
        this.rows = new EvolvingRows(random.split());
        this.keyed = keyed;
        this.orientation = orientation;
        this.ids = 4 + random.nextInt(30);
        String name = (keyed ? "" : "appended_") + "evolving_" + orientation.text();
        this.table = EvolvingTable.create(node, name.replace(',', '_'), orientation, keyed, SHARDS);
        this.writerId = new UUID(table.id().value(), 9);
        for (ShardId shard : table.current().shards()) {
            clients.put(shard, new Client(shard));
        }
        pins = new PinnedReads<>(node, pin -> pin.snapshot);
    }

    static Workload of(Simulation simulation, Orientation orientation, boolean keyed) {
        return new EvolutionWorkload(simulation, orientation, keyed);
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        pins.follow();
        table.current();
        int dice = random.nextInt(100);
        if (dice < 52) {
            clients.get(table.current().shard(random.nextInt(SHARDS))).act();
        } else if (dice < 62) {
            alter();
        } else if (dice < 72) {
            transact();
        } else if (dice < 80) {
            pin();
        } else if (dice < 92 && !pins.isEmpty()) {
            read(pins.any(random));
        } else if (dice < 97) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    @Override
    public void check() throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> found = table.snapshot(snapshot, table.current());
        assertThat(table.planned(snapshot, table.current())).isEqualTo(found);
        for (Client client : clients.values()) {
            client.checkPresent(found);
        }
        checkTransactions(found);
        node.engine().closeSnapshot(snapshot.id());
        for (Client client : clients.values()) {
            client.sendRest();
        }
        LeasedSnapshot after = node.openSnapshot();
        found = table.snapshot(after, table.current());
        for (Client client : clients.values()) {
            client.checkPresent(found);
        }
        if (keyed) {
            checkLookups(after, found);
        }
        node.engine().closeSnapshot(after.id());
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(table.id()));
        check();
    }

    private void checkLookups(LeasedSnapshot snapshot, Map<Long, String> found) throws IOException {
        for (long id = 0; id < ids; id++) {
            Optional<EvolvingTable.Shown> row = table.get(Optional.of(snapshot.lsn()), id);
            assertThat(row.map(EvolvingTable.Shown::row))
                    .as("key %s at %s", id, snapshot.lsn())
                    .isEqualTo(Optional.ofNullable(found.get(id)));
            assertThat(table.get(Optional.empty(), id)).isEqualTo(row);
        }
        String name = "v" + random.nextInt(100);
        Map<Long, String> named = new TreeMap<>(found);
        named.values().removeIf(row -> !row.split(", ", 3)[1].equals("'" + name + "'"));
        assertThat(table.lookup(snapshot, name)).as("rows of %s", name).isEqualTo(named);
    }

    // ---- changes of columns

    private void alter() {
        TableSchema current = table.current();
        ColumnChange change =
                rows.change(
                        current,
                        candidate -> {
                            new SchemaEditor(current, 1_000_000).apply(candidate);
                            return false;
                        });
        simulation.trace(change.toString());
        StorageEngine engine = node.engine();
        engine.alterTable(table.id(), current.schemaVersion(), change)
                .whenComplete(
                        (changed, failed) -> {
                            if (failed == null && node.engine() == engine) {
                                acknowledged++;
                            }
                        });
        table.current();
    }

    // ---- readers

    private final class Pin {
        private final LeasedSnapshot snapshot;
        private final Map<ShardId, SerialHistory.Range> ranges = new HashMap<>();
        private int schemaVersion; // of the first read; 0: none yet

        private Pin(LeasedSnapshot snapshot) {
            this.snapshot = snapshot;
        }
    }

    private void pin() {
        Map<ShardId, Integer> from = new HashMap<>();
        clients.forEach((shard, client) -> from.put(shard, client.history.present().from()));
        pins.pin(
                snapshot -> {
                    Pin pin = new Pin(snapshot);
                    clients.forEach(
                            (shard, client) ->
                                    pin.ranges.put(
                                            shard,
                                            new SerialHistory.Range(
                                                    from.get(shard),
                                                    client.history.present().to())));
                    return pin;
                });
    }

    private void read(Pin pin) throws IOException {
        TableSchema current = table.current();
        boolean again = pin.schemaVersion > 0 && random.nextBoolean();
        TableSchema version = again ? table.version(pin.schemaVersion) : current;
        Map<Long, String> found;
        try {
            found = table.snapshot(pin.snapshot, version);
            assertThat(table.planned(pin.snapshot, version)).isEqualTo(found);
        } catch (SteleException refused) {
            assertThat(refused.code())
                    .as("%s at version %s", refused, version.schemaVersion())
                    .isNotEqualTo(ErrorCode.STALE_TABLE);
            pins.remove(pin);
            throw refused;
        } catch (IOException failed) {
            // Some of its shards may have a view of this version, which cannot be read as this one
            // when there is another one later
            pins.remove(pin);
            throw failed;
        }
        if (pin.schemaVersion == 0) {
            pin.schemaVersion = version.schemaVersion();
        }
        for (Client client : clients.values()) {
            client.history.check(
                    client.own(found),
                    pin.ranges.get(client.shard),
                    pin.snapshot.lsn(),
                    row -> shown(row, version));
        }
        if (keyed && version == current) {
            long id = random.nextInt(ids);
            Optional<EvolvingTable.Shown> row = table.get(Optional.of(pin.snapshot.lsn()), id);
            assertThat(row.map(EvolvingTable.Shown::row))
                    .isEqualTo(Optional.ofNullable(found.get(id)));
        }
    }

    private String shown(String text, TableSchema version) {
        return EvolvingRows.shown(written.get(text).as(version));
    }

    private String remember(Written row) {
        String text = "row " + written.size();
        written.put(text, row);
        return text;
    }

    // ---- transactions

    /** Rows or files of one transaction, with ids of its own: all of them are there, or none. */
    private static final class Part {
        private final Map<Long, Written> rows = new TreeMap<>();
        private String transaction = "";
        private boolean committed;
        private boolean failed;
    }

    private void transact() throws IOException {
        TableSchema current = table.current();
        StorageEngine engine = node.engine();
        Part part = new Part();
        part.transaction = engine.beginTransaction(table.id(), Optional.empty());
        List<WrittenFile> files = new ArrayList<>();
        boolean asFiles = !orientation.hasRows() && random.nextBoolean();
        for (int i = 0; i < 3; i++) {
            long id = nextId++;
            ShardId shard = keyed ? table.shard(id) : current.shard((int) (id % SHARDS));
            if (asFiles) {
                WorkerFiles.Row row = new WorkerFiles.Row(id, "v" + random.nextInt(100), id);
                List<Object> values = new ArrayList<>();
                current.columns().forEach(column -> values.add(null));
                values.set(0, id);
                values.set(1, row.name());
                values.set(2, row.amount());
                if (hasNotNull(current)) {
                    return; // such a file would break the table's rules
                }
                part.rows.put(id, new Written(current, values));
                files.add(
                        WorkerFiles.write(
                                node.objects(),
                                current,
                                table::key,
                                shard,
                                "evolving-" + table.id() + "-" + nextFile++,
                                List.of(row)));
            } else {
                Written row = new Written(current, rows.values(current, id));
                part.rows.put(id, row);
                WriteBatchBuilder batch = builder(current);
                byte[] bytes = encode(row, current);
                if (!keyed) {
                    batch.append(bytes);
                } else {
                    byte[] key = table.key(id);
                    OperationKind kind =
                            random.nextBoolean() ? OperationKind.UPSERT : OperationKind.INSERT;
                    batch.add(kind, key, 0, key.length, bytes, 0, bytes.length);
                }
                engine.stage(part.transaction, shard, batch.toByteArray(), 0, batch.sizeBytes());
            }
        }
        transactions.add(part);
        engine.commit(part.transaction, files, Optional.empty())
                .whenComplete(
                        (lsn, failed) -> {
                            if (node.engine() == engine) {
                                part.committed |= failed == null;
                                part.failed |= failed != null && isRefusal(failed);
                                acknowledged += failed == null ? 1 : 0;
                            }
                        });
    }

    private static boolean hasNotNull(TableSchema table) {
        return table.columns().subList(EvolvingRows.FIXED_COLUMNS, table.columns().size()).stream()
                .anyMatch(column -> !column.nullable());
    }

    private static boolean isRefusal(Throwable failed) {
        return Coordinator.unwrap(failed) instanceof SteleException known
                && known.code() == ErrorCode.STALE_TABLE;
    }

    private void checkTransactions(Map<Long, String> found) {
        Set<Long> known = new TreeSet<>();
        for (Part part : transactions) {
            Map<Long, String> there = new TreeMap<>(found);
            there.keySet().retainAll(part.rows.keySet());
            known.addAll(part.rows.keySet());
            assertThat(there.size())
                    .as("rows of %s", part.transaction)
                    .isIn(part.committed ? List.of(3) : part.failed ? List.of(0) : List.of(0, 3));
            part.committed = there.size() == 3; // decided by the crash, once and for all
            part.failed = !part.committed;
            there.forEach(
                    (id, row) ->
                            assertThat(row)
                                    .as("row %s of %s", id, part.transaction)
                                    .isEqualTo(
                                            EvolvingRows.shown(
                                                    part.rows.get(id).as(table.current()))));
        }
    }

    private WriteBatchBuilder builder(TableSchema version) {
        return new WriteBatchBuilder(table.id(), version.schemaVersion());
    }

    private static byte[] encode(Written row, TableSchema version) {
        return Rows.toBytes(RowLayout.of(version.columns()), row.as(version).toArray());
    }

    // ---- the client of a shard

    /** An operation as its author means it. */
    private record Operation(
            OperationKind kind, long id, Optional<Written> row, Map<Integer, Object> given) {}

    private final class Client {
        private final ShardId shard;
        private final SerialHistory history = new SerialHistory();
        private final Map<Long, List<Operation>> operations = new HashMap<>(); // by sequence
        private final Map<Long, TableSchema> meant = new HashMap<>(); // by sequence
        private TableSchema known;
        private long appended = 1;
        private boolean isRefused;

        private Client(ShardId shard) {
            this.shard = shard;
            this.known = table.current();
        }

        void act() {
            Optional<SerialHistory.Batch> failed = history.firstFailed();
            if (failed.isPresent()) {
                // as a writer does: once all answers are there, and under the version of now
                if (history.isAnswered()) {
                    refresh();
                    send(failed.get());
                }
                return;
            }
            if (history.mayAppend()) {
                change();
            }
        }

        private void refresh() {
            known = table.current();
            isRefused = false;
            for (SerialHistory.Batch batch : history.batches()) {
                if (!batch.isAcknowledged()) {
                    batch.encodedAgain(encode(batch.sequence()));
                }
            }
        }

        private void change() {
            List<Operation> batch = new ArrayList<>();
            Map<Long, String> present = history.last();
            Map<Long, Optional<String>> changes = new TreeMap<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                if (!keyed) {
                    long id = shard.index() + SHARDS * appended++;
                    if (id < TRANSACTIONS) {
                        Written row = new Written(known, rows.values(known, id));
                        batch.add(
                                new Operation(
                                        OperationKind.APPEND, id, Optional.of(row), Map.of()));
                        changes.put(id, Optional.of(remember(row)));
                    }
                    continue;
                }
                long id = random.nextInt(ids);
                if (!table.shard(id).equals(shard)) {
                    continue;
                }
                changeKeyed(id, present, batch);
                changes.put(id, Optional.ofNullable(present.get(id)));
            }
            if (!batch.isEmpty()) {
                long sequence = history.batches().size() + 1L;
                operations.put(sequence, batch);
                meant.put(sequence, known);
                send(history.append(encode(sequence), changes));
            }
        }

        private void changeKeyed(long id, Map<Long, String> present, List<Operation> batch) {
            OperationKind kind = kind();
            String there = present.get(id);
            switch (kind) {
                case DELETE -> {
                    batch.add(new Operation(kind, id, Optional.empty(), Map.of()));
                    present.remove(id);
                }
                case UPDATE -> {
                    Map<Integer, Object> given = given();
                    batch.add(new Operation(kind, id, Optional.empty(), given));
                    if (there != null) {
                        present.put(id, remember(written.get(there).with(known, given)));
                    }
                }
                default -> {
                    Written row = new Written(known, rows.values(known, id));
                    batch.add(new Operation(kind, id, Optional.of(row), Map.of()));
                    if (there == null || kind == OperationKind.UPSERT) {
                        present.put(id, remember(row));
                    }
                }
            }
        }

        private Map<Integer, Object> given() {
            Map<Integer, Object> given = new LinkedHashMap<>();
            for (ColumnSchema column : known.columns().subList(1, known.columns().size())) {
                if (random.nextInt(3) == 0) {
                    boolean isNull = column.nullable() && random.nextInt(4) == 0;
                    given.put(column.id(), isNull ? null : rows.value(column.type()));
                }
            }
            return given;
        }

        private OperationKind kind() {
            return switch (random.nextInt(8)) {
                case 0, 1, 2 -> OperationKind.UPSERT;
                case 3 -> OperationKind.DELETE;
                case 4 -> OperationKind.INSERT_IF_ABSENT;
                default -> OperationKind.UPDATE;
            };
        }

        /** A batch as it was meant, in the version known now. */
        private byte[] encode(long sequence) {
            WriteBatchBuilder batch = builder(known);
            TableSchema before = meant.get(sequence);
            for (Operation operation : operations.get(sequence)) {
                byte[] row = new byte[0];
                if (operation.row().isPresent()) {
                    row = EvolutionWorkload.encode(operation.row().get(), known);
                } else if (operation.kind() == OperationKind.UPDATE) {
                    row = encodePartial(operation, before);
                }
                byte[] key = keyed ? table.key(operation.id()) : new byte[0];
                batch.add(operation.kind(), key, 0, key.length, row, 0, row.length);
            }
            return batch.toByteArray();
        }

        private byte[] encodePartial(Operation operation, TableSchema before) {
            List<Object> values = new ArrayList<>();
            before.columns().forEach(column -> values.add(null));
            values.set(0, operation.id());
            operation.given().forEach((id, value) -> values.set(before.indexOf(id), value));
            List<Object> converted = new Written(before, values).as(known);
            List<Integer> columns = new ArrayList<>();
            List<Object> given = new ArrayList<>();
            for (int i = 0; i < known.columns().size(); i++) {
                int columnId = known.columns().get(i).id();
                if (i == 0 || operation.given().containsKey(columnId)) {
                    columns.add(columnId);
                    given.add(converted.get(i));
                }
            }
            PartialRowLayout partial = PartialRowLayout.of(known, columns);
            byte[] bytes = Rows.toBytes(partial.layout(), given.toArray());
            byte[] row = new byte[partial.headBytes() + bytes.length];
            System.arraycopy(bytes, 0, row, partial.writeHead(row, 0), bytes.length);
            return row;
        }

        private CompletableFuture<Lsn> send(SerialHistory.Batch batch) {
            StorageEngine engine = node.engine();
            boolean first = batch.sent();
            CompletableFuture<Lsn> answer =
                    engine.write(
                            shard,
                            writerId,
                            batch.sequence(),
                            batch.bytes(),
                            0,
                            batch.bytes().length);
            answer.whenComplete(
                    (lsn, failed) -> {
                        if (node.engine() != engine) {
                            return;
                        }
                        simulation.trace(table.id() + " " + batch.sequence() + " " + lsn);
                        if (failed == null) {
                            acknowledged++;
                            batch.acknowledged(lsn, first && !isRefused);
                        } else {
                            isRefused |= isRefusal(failed);
                            history.failed(batch, Coordinator.unwrap(failed));
                        }
                    });
            return answer;
        }

        /** What has no answer, once more, one after the other; a node without faults answers. */
        void sendRest() {
            history.lost();
            refresh();
            for (SerialHistory.Batch batch : history.batches()) {
                if (!batch.isAcknowledged()) {
                    node.await(send(batch));
                }
            }
        }

        void checkPresent(Map<Long, String> found) {
            TableSchema current = table.current();
            history.check(
                    own(found),
                    history.present(),
                    new Lsn(Long.MAX_VALUE),
                    row -> shown(row, current));
        }

        /** The rows that this client writes. */
        Map<Long, String> own(Map<Long, String> all) {
            Map<Long, String> own = new TreeMap<>(all);
            own.keySet()
                    .removeIf(
                            id ->
                                    id >= TRANSACTIONS
                                            || !(keyed
                                                    ? table.shard(id).equals(shard)
                                                    : id % SHARDS == shard.index()));
            return own;
        }
    }
}
