package io.stele.protocol.api.status;

/**
 * The counters and present size of a data page cache, all of its directories together, for metrics
 * and status replies.
 *
 * @param pages pages held
 * @param diskBytes bytes that the pages and their index take on disks
 * @param maxDiskBytes the limit of {@code diskBytes}
 * @param evictions pages evicted to make room for others
 * @param rejections pages that were offered and not admitted
 * @param damaged pages dropped because their checksum was wrong or they could not be read
 * @param removed pages dropped because their file is gone or has another length
 * @param writeFailures pages that could not be written, for example because a disk was full
 * @param directories directories configured
 * @param directoriesOut directories that are not in use because they failed
 */
public record DataCacheSpace(
        long pages,
        long diskBytes,
        long maxDiskBytes,
        long evictions,
        long rejections,
        long damaged,
        long removed,
        long writeFailures,
        int directories,
        int directoriesOut) {}
