package io.stele.engine.shard;

/**
 * Options of the apply workers (lanes) on which a shard applies its log: their number, and when it
 * changes.
 *
 * @param minLanes the number of lanes at the start, and the lowest number
 * @param maxLanes the highest number of lanes, for a hot shard; 1: changes are always applied one
 *     after the other
 * @param rowsPerLane a group of records with fewer rows per lane is applied by the shard's context
 *     alone, if the lanes are idle: handing it over would cost more
 * @param windowMillis the interval at which the number of lanes is reconsidered
 */
public record ApplyOptions(int minLanes, int maxLanes, int rowsPerLane, long windowMillis) {
    /** Beyond, the log and the walk of each lane over all batches are what bounds a shard. */
    public static final int MOST_LANES = 16;

    /**
     * One lane: who knows how many cores there are says more. 32 rows take a lane about 20
     * microseconds, which is what waking a worker costs. A tenth of a second is long beside a group
     * of the log, and short beside a burst.
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
