package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.record.LoggedRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of log records that a start replays into shards in groups, several shards in parallel.
 * The lookups in files that the records of a shard need are made together.
 *
 * <p>Confined to one thread, which waits while shards are replayed.
 */
final class ReplayGroups {
    /** 16 MiB of log records in memory for a group, besides one record or group of the log. */
    static final int MAX_BYTES = 16 << 20;

    /** Shards in parallel. Each holds up to 48 MiB for each table whose rows it looks up. */
    private static final int MAX_SHARDS = 4;

    private static final int MAX_RECORDS = 65_536; // small records need more than their bytes

    private final Executor executor;
    private final int maxBytes;
    private final Map<TableGroupShard, List<LoggedRecord>> records = new LinkedHashMap<>();
    private long bytes;
    private int count;
    private byte @Nullable [] last; // array of the last record, shared with others

    /**
     * @param executor runs calls that wait for the store; accepts every task
     * @param maxBytes the approximate bytes of log records in a group
     */
    ReplayGroups(Executor executor, int maxBytes) {
        this.executor = requireNonNull(executor, "executor is null");
        this.maxBytes = maxBytes;
    }

    /** Adds a record behind all others of its shard. */
    void add(TableGroupShard shard, LoggedRecord record) throws IOException {
        records.computeIfAbsent(shard, key -> new ArrayList<>()).add(record);
        count++;
        byte[] array = record.payload().array();
        if (array != last) {
            last = array;
            bytes += array.length;
        }
        if (bytes >= maxBytes || count >= MAX_RECORDS) {
            finish();
        }
    }

    /**
     * Applies the added records that are not applied yet.
     *
     * @throws IOException if the store does not answer
     */
    void finish() throws IOException {
        Map<TableGroupShard, List<LoggedRecord>> group = new LinkedHashMap<>(records);
        records.clear();
        bytes = 0;
        count = 0;
        last = null;
        List<StartTask<Boolean>> tasks = new ArrayList<>();
        for (Map.Entry<TableGroupShard, List<LoggedRecord>> ofShard : group.entrySet()) {
            tasks.add(
                    StartTask.begin(
                            executor,
                            () -> {
                                ofShard.getKey().replay(ofShard.getValue());
                                return true;
                            }));
            if (tasks.size() == MAX_SHARDS) {
                StartTask.all(tasks);
                tasks.clear();
            }
        }
        StartTask.all(tasks);
    }
}
