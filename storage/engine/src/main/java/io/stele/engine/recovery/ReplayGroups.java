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
 * Log records on their way to shards at a start, a group at a time: what the records of a shard
 * need of files is looked up together, and shards, which share no rows, are replayed side by side.
 *
 * <p>Confined to one thread, which waits while shards are replayed.
 */
final class ReplayGroups {
    /** 16 MiB: of the log that is in memory for a group, beside one record or group of the log. */
    static final int MAX_BYTES = 16 << 20;

    /** Side by side: each holds up to 48 MiB for each table that it looks rows up of. */
    private static final int MAX_SHARDS = 4;

    private static final int MAX_RECORDS = 65_536; // small ones weigh more than their bytes

    private final Executor executor;
    private final int maxBytes;
    private final Map<TableGroupShard, List<LoggedRecord>> records = new LinkedHashMap<>();
    private long bytes;
    private int count;
    private byte @Nullable [] last; // of the earlier records, which share it

    /**
     * @param executor of calls that wait for the store; takes every one
     * @param maxBytes of the log, about, that a group has
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
     * Applies what was added and is not applied yet.
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
