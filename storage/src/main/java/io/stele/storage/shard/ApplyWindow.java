package io.stele.storage.shard;

/**
 * What a shard was given to apply in some time.
 *
 * @param millis how long that was, at least 1
 * @param groups of records that the log made durable
 * @param behind those of them that came while one before was not applied yet: the log was faster
 * @param rows in all of them
 * @param barriers how often something had to wait for the lanes to rest
 */
record ApplyWindow(long millis, long groups, long behind, long rows, long barriers) {
    ApplyWindow {
        if (millis < 1) {
            throw new IllegalArgumentException("millis must be > 0: " + millis);
        }
    }

    double rowsPerSecond() {
        return rows * 1000.0 / millis;
    }
}
