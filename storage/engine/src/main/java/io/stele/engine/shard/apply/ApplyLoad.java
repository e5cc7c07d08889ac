package io.stele.engine.shard.apply;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A counter of the groups of records, rows and barriers that a shard receives to apply, by time
 * window, for the {@link ApplyWorkerPolicy}. Confined to the shard's context, except for {@link
 * #allBarriers}.
 */
public final class ApplyLoad {
    private final LongSupplier nowMillis;
    private final long windowMillis;
    private final AtomicLong allBarriers = new AtomicLong();
    private long startMillis = Long.MIN_VALUE; // of the window; MIN_VALUE: none yet
    private long groups;
    private long behind;
    private long rows;
    private long barriers;

    public ApplyLoad(LongSupplier nowMillis, long windowMillis) {
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.windowMillis = windowMillis;
    }

    /**
     * @param isBehind whether an earlier group was not applied yet
     */
    public void group(long groupRows, boolean isBehind) {
        groups++;
        rows += groupRows;
        behind += isBehind ? 1 : 0;
    }

    /** Counts a task that must wait for the apply workers. */
    public void barrier() {
        barriers++;
        allBarriers.incrementAndGet();
    }

    /** The barriers of all windows since the start; any thread. */
    public long allBarriers() {
        return allBarriers.get();
    }

    /** The window, if it is over; then the next one begins. */
    public Optional<ApplyWindow> take() {
        long now = nowMillis.getAsLong();
        if (startMillis == Long.MIN_VALUE) {
            startMillis = now;
        }
        long millis = now - startMillis;
        if (millis < windowMillis) {
            return Optional.empty();
        }
        ApplyWindow window = new ApplyWindow(millis, groups, behind, rows, barriers);
        startMillis = now;
        groups = 0;
        behind = 0;
        rows = 0;
        barriers = 0;
        return Optional.of(window);
    }
}
