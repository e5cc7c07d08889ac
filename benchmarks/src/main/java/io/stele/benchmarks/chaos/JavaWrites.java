package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client that writes a few keys in bursts through the Java client and checks lookups. Many
 * upserts, deletions and inserts are in flight at a time, some of them large. It looks up the
 * newest rows, and looks up rows twice at one snapshot, which must be equal.
 */
final class JavaWrites implements ChaosClient {
    private static final String TABLE = "keyed";
    private static final int KEYS = 600;
    private static final int MAX_BURST = 300;

    // More than the window in which a shard remembers a writer's batches
    private static final int INSERTS = 500;
    private static final int LOOKUPS = 100;

    private final ClientContext context;
    private final List<KeyModel> keys = new ArrayList<>();

    JavaWrites(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
        for (int key = 0; key < KEYS; key++) {
            keys.add(new KeyModel());
        }
    }

    @Override
    public String key() {
        return "java";
    }

    @Override
    public void prepare() {
        context.createTable(
                TableSchema.builder(ClientContext.SCHEMA, TABLE)
                        .columns(
                                List.of(
                                        column(1, "id", "bigint", false),
                                        column(2, "version", "bigint", false),
                                        column(3, "payload", "varchar", true)))
                        .primaryKey(List.of(1))
                        .orientation(Orientation.ROW_COLUMN)
                        .shardCount(4)
                        .build());
    }

    static ColumnSchema column(int id, String name, String type, boolean nullable) {
        return new ColumnSchema(id, name, DataType.parse(type), nullable, Optional.empty());
    }

    @Override
    public void step(Random random) throws Exception {
        switch (random.nextInt(8)) {
            case 0 -> insertExisting(random);
            case 1, 2 -> lookUp(random);
            case 3 -> lookUpTwice(random);
            default -> write(random);
        }
    }

    private void write(Random random) throws Exception {
        int count = 1 + random.nextInt(MAX_BURST);
        try {
            context.statement(
                    "burst of %d upserts and deletions".formatted(count),
                    () -> {
                        try (TableWriter writer =
                                context.client().writer(ClientContext.SCHEMA, TABLE)) {
                            for (int write = 0; write < count; write++) {
                                write(writer, random.nextInt(KEYS));
                            }
                            return writer.flush();
                        }
                    });
            context.tally().acknowledged();
        } catch (SteleException e) {
            context.tally().open();
            // Those without an answer stay between what was acknowledged and what was sent
        }
    }

    private void write(TableWriter writer, int id) {
        KeyModel key = keys.get(id);
        long version = key.next();
        CompletableFuture<Lsn> acknowledgement =
                KeyModel.isDelete(version)
                        ? writer.delete((long) id)
                        : writer.upsert((long) id, version, payload(id, version));
        acknowledgement.whenComplete(
                (lsn, failure) -> {
                    if (failure == null) {
                        key.acknowledged(version);
                    } else {
                        key.failed(version, starts());
                    }
                });
    }

    private long starts() {
        return context.findings().counted("starts");
    }

    /** A value that is determined by key and version; some values are large. */
    private String payload(int id, long version) {
        long chance = Math.floorMod(31 * version + id, 400);
        int length =
                !context.largeRows() || chance > 3
                        ? (int) chance
                        : chance == 0 ? 6 << 20 : (int) chance * 700_000;
        return Character.toString('a' + (int) (version % 26)).repeat(length);
    }

    /** Existing keys are refused, also if the answer is lost and they are sent again. */
    private void insertExisting(Random random) throws Exception {
        List<Integer> present = new ArrayList<>();
        for (int id = 0; id < KEYS; id++) {
            if (keys.get(id).isPresent()) {
                present.add(id);
            }
        }
        if (present.isEmpty()) {
            return;
        }
        try {
            context.statement(
                    "%d inserts of keys that are there".formatted(INSERTS),
                    () -> {
                        try (TableWriter writer =
                                context.client().writer(ClientContext.SCHEMA, TABLE)) {
                            for (int insert = 0; insert < INSERTS; insert++) {
                                int id = present.get(random.nextInt(present.size()));
                                writer.insert((long) id, -1L, null)
                                        .thenAccept(
                                                lsn ->
                                                        context.violation(
                                                                "an INSERT of key %d, which is there, was answered as done"
                                                                        .formatted(id)));
                            }
                            return writer.flush();
                        }
                    });
        } catch (SteleException e) {
            context.tally().refused(); // as it should be
        }
    }

    private void lookUp(Random random) throws Exception {
        List<Integer> ids = random.ints(LOOKUPS, 0, KEYS).boxed().toList();
        long[] before = ids.stream().mapToLong(id -> keys.get(id).oldest(starts())).toArray();
        List<Optional<List<@Nullable Object>>> rows;
        try {
            rows = get(ids, Optional.empty());
        } catch (SteleException e) {
            return;
        }
        for (int at = 0; at < ids.size(); at++) {
            check(ids.get(at), keys.get(ids.get(at)).since(before[at]), rows.get(at));
        }
        context.checked(List.of());
    }

    private void check(int id, KeyModel.Bounds bounds, Optional<List<@Nullable Object>> row) {
        bounds.check(row.map(values -> (Long) requireNonNull(values.get(1), "a version is null")))
                .ifPresent(wrong -> context.violation("key %d: %s".formatted(id, wrong)));
        row.ifPresent(
                values -> {
                    long version = (Long) requireNonNull(values.get(1), "a version is null");
                    if (!payload(id, version).equals(values.get(2))) {
                        context.violation(
                                "key %d has another payload than its version %d was written with"
                                        .formatted(id, version));
                    }
                });
    }

    private List<Optional<List<@Nullable Object>>> get(List<Integer> ids, Optional<Lsn> at)
            throws Exception {
        List<@Nullable Object[]> wanted = new ArrayList<>();
        ids.forEach(id -> wanted.add(new Object[] {(long) id}));
        return context.statement(
                "lookup of %d keys".formatted(ids.size()), () -> table().multiGet(wanted, at));
    }

    private SteleTable table() {
        return context.client().table(ClientContext.SCHEMA, TABLE);
    }

    private void lookUpTwice(Random random) throws Exception {
        // Payloads of megabytes twice are enough
        List<Integer> ids = random.ints(LOOKUPS / 4, 0, KEYS).boxed().toList();
        try {
            SnapshotReply snapshot = context.statement("open a snapshot", context::openSnapshot);
            List<Optional<List<@Nullable Object>>> first = get(ids, Optional.of(snapshot.lsn()));
            TimeUnit.MILLISECONDS.sleep(random.nextInt(1_000));
            List<Optional<List<@Nullable Object>>> second = get(ids, Optional.of(snapshot.lsn()));
            if (!first.equals(second)) {
                context.violation("two lookups at %s differ".formatted(snapshot.lsn()));
            }
            context.checked(List.of());
            context.closeSnapshot(snapshot);
        } catch (SteleException e) {
            // The sidecar was away, or a restart has ended the snapshot's lease
        }
    }

    @Override
    public void verify() throws Exception {
        List<Integer> ids = new ArrayList<>();
        for (int id = 0; id < KEYS; id++) {
            ids.add(id);
        }
        List<Optional<List<@Nullable Object>>> rows = get(ids, Optional.empty());
        for (int id = 0; id < KEYS; id++) {
            check(id, keys.get(id).since(keys.get(id).oldest(starts())), rows.get(id));
        }
        context.checked(List.of());
    }
}
