package io.stele.protocol.api.scan;

/**
 * A sidecar's estimate of the work of a pushed-down aggregation and of a scan of the same rows,
 * from which a connector chooses one. The sidecar computes it from manifests and the present
 * content of its caches, without reads.
 *
 * @param files column files that have rows of the predicate
 * @param fileBytes bytes of these files, with all columns
 * @param scannedRows rows of the row groups in which a scan finds the predicate's rows
 * @param scannedBytes bytes of the wanted columns in these row groups
 * @param columns number of columns that are read of each row
 * @param computedRows rows of files whose result is neither cached nor known from statistics
 * @param missingFiles files that must be read for the computed rows
 * @param missingValues values that must be decoded
 * @param missingBytes bytes of these values in the files
 * @param liveRows row versions that are in no column file
 * @param workers parts that the sidecar computes in parallel
 */
public record AggregationEstimate(
        int files,
        long fileBytes,
        long scannedRows,
        long scannedBytes,
        int columns,
        long computedRows,
        int missingFiles,
        long missingValues,
        long missingBytes,
        long liveRows,
        int workers) {
    public AggregationEstimate {
        boolean isValid =
                files >= 0
                        && fileBytes >= 0
                        && scannedRows >= 0
                        && scannedBytes >= 0
                        && columns >= 0
                        && computedRows >= 0
                        && missingFiles >= 0
                        && missingValues >= 0
                        && missingBytes >= 0
                        && liveRows >= 0
                        && workers > 0;
        if (!isValid) {
            throw new IllegalArgumentException(
                    "Expected numbers of at least 0 and at least one worker, found %d files of %d bytes, %d rows of %d bytes and %d columns, %d to compute, %d files, %d values and %d bytes missing, %d rows in memory and %d workers"
                            .formatted(
                                    files,
                                    fileBytes,
                                    scannedRows,
                                    scannedBytes,
                                    columns,
                                    computedRows,
                                    missingFiles,
                                    missingValues,
                                    missingBytes,
                                    liveRows,
                                    workers));
        }
    }
}
