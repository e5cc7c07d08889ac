package io.stele.engine.shard.apply;

/**
 * Options of the apply workers with which a shard applies its log: their number, and when it
 * changes.
 *
 * @param minWorkers the number of workers at the start, and the lowest number
 * @param maxWorkers the highest number of workers, for a hot shard; 1: changes are always applied
 *     one after the other
 * @param rowsPerWorker a group of records with fewer rows per worker is applied by the shard's
 *     context alone, if the workers are idle: handing it over would cost more
 * @param windowMillis the interval at which the number of workers is reconsidered
 */
public record ApplyOptions(int minWorkers, int maxWorkers, int rowsPerWorker, long windowMillis) {
    /** With more workers, the log limits a shard, and each worker's pass over all batches. */
    public static final int MOST_WORKERS = 16;

    /**
     * One worker; a caller that knows the number of cores sets more. A worker applies 32 rows in
     * about 20 microseconds, which is also the cost of waking it. A tenth of a second is long
     * compared with a group of the log, and short compared with a burst.
     */
    public static final ApplyOptions DEFAULT = new ApplyOptions(1, 1, 32, 100);

    public ApplyOptions {
        if (minWorkers < 1 || maxWorkers < minWorkers || maxWorkers > MOST_WORKERS) {
            throw new IllegalArgumentException(
                    "Expected apply workers from 1 to %d, found %d to %d"
                            .formatted(MOST_WORKERS, minWorkers, maxWorkers));
        }
        if (rowsPerWorker < 0 || windowMillis < 1) {
            throw new IllegalArgumentException(
                    "Expected rowsPerWorker >= 0 and windowMillis > 0, found %d and %d"
                            .formatted(rowsPerWorker, windowMillis));
        }
    }

    public ApplyOptions withWorkers(int newMinWorkers, int newMaxWorkers) {
        return new ApplyOptions(newMinWorkers, newMaxWorkers, rowsPerWorker, windowMillis);
    }
}
