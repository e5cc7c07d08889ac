package io.stele.engine.shard;

/**
 * Options of the apply workers with which a shard applies its log: their number, and when it
 * changes.
 *
 * @param minLanes the number of workers at the start, and the lowest number
 * @param maxLanes the highest number of workers, for a hot shard; 1: changes are always applied one
 *     after the other
 * @param rowsPerLane a group of records with fewer rows per worker is applied by the shard's
 *     context alone, if the workers are idle: handing it over would cost more
 * @param windowMillis the interval at which the number of workers is reconsidered
 */
public record ApplyOptions(int minLanes, int maxLanes, int rowsPerLane, long windowMillis) {
    /** With more, the log limits a shard, and the pass of each worker over all batches. */
    public static final int MOST_LANES = 16;

    /**
     * One worker; a caller that knows the number of cores sets more. A worker applies 32 rows in
     * about 20 microseconds, which is also the cost of waking it. A tenth of a second is long
     * compared with a group of the log, and short compared with a burst.
     */
    public static final ApplyOptions DEFAULT = new ApplyOptions(1, 1, 32, 100);

    public ApplyOptions {
        if (minLanes < 1 || maxLanes < minLanes || maxLanes > MOST_LANES) {
            throw new IllegalArgumentException(
                    "Expected lanes from 1 to %d, found %d to %d"
                            .formatted(MOST_LANES, minLanes, maxLanes));
        }
        if (rowsPerLane < 0 || windowMillis < 1) {
            throw new IllegalArgumentException(
                    "Expected rowsPerLane >= 0 and windowMillis > 0, found %d and %d"
                            .formatted(rowsPerLane, windowMillis));
        }
    }

    public ApplyOptions withLanes(int newMinLanes, int newMaxLanes) {
        return new ApplyOptions(newMinLanes, newMaxLanes, rowsPerLane, windowMillis);
    }
}
