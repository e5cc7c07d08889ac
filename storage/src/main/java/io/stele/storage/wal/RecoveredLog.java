package io.stele.storage.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * A log that has been read to its end and cut behind its last whole group; {@link NodeLog}
 * continues it.
 */
public final class RecoveredLog {
    private RecoveredLog() {}

    /**
     * Reads all segments, checks them, gives their records to {@code consumer} in log order, and
     * cuts a torn tail. {@code clock} observes every LSN.
     *
     * @throws io.stele.protocol.SteleException {@code CORRUPT_DATA} if anything but a torn tail is
     *     wrong, naming file, offset and both values; nothing has been changed then
     */
    public static RecoveredLog recover(
            LogFiles files, LogOptions options, HybridClock clock, ReplayConsumer consumer)
            throws IOException {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /** The last LSN of each shard that has records in the log. */
    public Map<ShardId, Lsn> lastLsns() {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * What was cut from the end, if anything: file, offset and bytes; such bytes were never
     * acknowledged.
     */
    public Optional<String> cutTail() {
        throw new UnsupportedOperationException("Not landed yet");
    }
}
