package io.stele.benchmarks.chaos;

import static io.stele.benchmarks.chaos.JavaWrites.column;
import static java.util.Objects.requireNonNull;

import io.stele.client.Change;
import io.stele.client.ChangeOptions;
import io.stele.client.ShardChanges;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.scan.ChangeKind;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client that upserts and deletes a few keys, and applies the change feeds of their table
 * to a map. Each change must fit what the map has, and at a snapshot the map is what the table has.
 */
final class FollowedChanges implements ChaosClient {
    private static final String TABLE = "followed";
    private static final int KEYS = 400;
    private static final int MAX_BURST = 200;
    private static final int SHARDS = 2;
    private static final Duration WAIT = Duration.ofMillis(100);

    private final ClientContext context;
    private final TreeMap<Long, Long> rows = new TreeMap<>(); // id to version
    private final List<Known> later = new ArrayList<>(); // behind the snapshot that is compared
    private List<ShardChanges> feeds = List.of();
    private long version;

    FollowedChanges(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    /** A change, copied. */
    private record Known(Lsn lsn, ChangeKind kind, long id, long row) {
        static Known of(Change change) {
            List<@Nullable Object> values = change.values();
            return new Known(
                    change.lsn(),
                    change.kind(),
                    (Long) requireNonNull(values.get(0), "an id is null"),
                    (Long) requireNonNull(values.get(1), "a version is null"));
        }
    }

    @Override
    public String key() {
        return "feeds";
    }

    @Override
    public void prepare() {
        context.createTable(
                TableSchema.builder(ClientContext.SCHEMA, TABLE)
                        .columns(
                                List.of(
                                        column(1, "id", "bigint", false),
                                        column(2, "version", "bigint", false)))
                        .primaryKey(List.of(1))
                        .shardCount(SHARDS)
                        .build());
        begin();
    }

    private SteleTable table() {
        return context.client().table(ClientContext.SCHEMA, TABLE);
    }

    /** The table is empty, or the map has what it had at the LSN. */
    private void begin() {
        close();
        SteleTable table = table();
        List<ShardChanges> opened = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            opened.add(table.changes(shard, ChangeOptions.DEFAULT.withBeforeImages(true)));
        }
        feeds = opened;
    }

    private void close() {
        feeds.forEach(ShardChanges::close);
        feeds = List.of();
    }

    @Override
    public void step(Random random) throws Exception {
        if (random.nextInt(3) == 0) {
            compare();
        } else {
            write(random);
        }
    }

    private void write(Random random) throws Exception {
        int count = 1 + random.nextInt(MAX_BURST);
        try {
            context.statement(
                    "burst of %d changes".formatted(count),
                    () -> {
                        try (TableWriter writer = table().writer()) {
                            for (int write = 0; write < count; write++) {
                                long id = random.nextInt(KEYS);
                                CompletableFuture<Lsn> ignored =
                                        random.nextInt(4) == 0
                                                ? writer.delete(id)
                                                : writer.upsert(id, ++version);
                            }
                            return writer.flush();
                        }
                    });
            context.tally().acknowledged();
        } catch (SteleException e) {
            context.tally()
                    .open(); // what became of them the table says, and the feeds say the same
        }
    }

    private void compare() throws Exception {
        try {
            context.statement("follow the changes to a snapshot", this::compareAtSnapshot);
        } catch (SteleException e) {
            if (e.code() == ErrorCode.SNAPSHOT_EXPIRED) {
                context.violation(
                        "the history after a feed's position is gone within its retention: "
                                + e.getMessage());
            }
            // Else the sidecar was away: the feeds go on after their positions
        }
    }

    private boolean compareAtSnapshot() {
        SnapshotReply snapshot = context.openSnapshot();
        List<Known> behind = List.copyOf(later);
        later.clear();
        behind.forEach(change -> apply(change, snapshot.lsn()));
        for (ShardChanges feed : feeds) {
            while (feed.position().compareTo(snapshot.lsn()) < 0) {
                List<Known> commit = new ArrayList<>();
                if (feed.poll(WAIT, change -> commit.add(Known.of(change)))) {
                    commit.forEach(change -> apply(change, snapshot.lsn()));
                }
            }
        }
        List<@Nullable Object[]> ids = new ArrayList<>();
        for (long id = 0; id < KEYS; id++) {
            ids.add(new Object[] {id});
        }
        List<Optional<List<@Nullable Object>>> found =
                table().multiGet(ids, Optional.of(snapshot.lsn()));
        Map<Long, Long> expected = new TreeMap<>();
        found.forEach(
                row ->
                        row.ifPresent(
                                values ->
                                        expected.put(
                                                (Long) requireNonNull(values.get(0)),
                                                (Long) requireNonNull(values.get(1)))));
        context.checked(
                rows.equals(expected)
                        ? List.of()
                        : List.of(
                                "expected the rows that the table has at %s, found others after its changes: %s instead of %s"
                                        .formatted(snapshot.lsn(), rows, expected)));
        context.closeSnapshot(snapshot);
        return true;
    }

    private void apply(Known change, Lsn upTo) {
        if (change.lsn().compareTo(upTo) > 0) {
            later.add(change);
        } else {
            apply(change);
        }
    }

    private void apply(Known change) {
        Long before = rows.get(change.id());
        boolean fits =
                switch (change.kind()) {
                    case INSERT -> rows.put(change.id(), change.row()) == null;
                    case UPDATE -> rows.put(change.id(), change.row()) != null;
                    case UPDATE_BEFORE -> before != null && before == change.row();
                    case DELETE -> {
                        rows.remove(change.id());
                        yield before != null && before == change.row();
                    }
                };
        if (!fits) {
            context.violation("change %s does not fit version %s".formatted(change, before));
        }
    }

    @Override
    public void verify() throws Exception {
        context.statement("follow the changes to the end", this::compareAtSnapshot);
        close();
    }
}
