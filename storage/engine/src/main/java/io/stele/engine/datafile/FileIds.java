package io.stele.engine.datafile;

import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A generator of names of new data files, which are never used again: the epoch of the engine,
 * unique for each start, and a counter. Safe for use by many threads.
 */
public final class FileIds {
    private final String prefix;
    private final AtomicLong counter = new AtomicLong();

    public FileIds(long epoch) {
        this.prefix = Long.toHexString(epoch) + "-";
    }

    public String next() {
        return prefix + Long.toHexString(counter.incrementAndGet());
    }

    /** The folder of the files of a table in a shard, with a slash at its end. */
    public static String folder(TableId table, ShardId shard) {
        return "data/" + table + "/" + shard.index() + "/";
    }
}
