package io.stele.cache.page;

/**
 * Counters of a {@link PageStore} since it was opened, and its present size.
 *
 * @param pages pages cached
 * @param diskBytes space of the pages and their index on disks, counted in blocks
 * @param maxDiskBytes the limit of {@code diskBytes}
 * @param puts pages written
 * @param evictions pages evicted to make room for others
 * @param rejections pages that were offered and not admitted
 * @param damaged pages dropped because their checksum was wrong or they could not be read
 * @param removed pages dropped because their file is gone or has another length
 * @param writeFailures pages that could not be written, for example because a disk was full
 * @param directories directories configured
 * @param directoriesOut directories that are not in use because they failed
 */
public record PageStoreStatistics(
        long pages,
        long diskBytes,
        long maxDiskBytes,
        long puts,
        long evictions,
        long rejections,
        long damaged,
        long removed,
        long writeFailures,
        int directories,
        int directoriesOut) {
    /** The statistics of a store without pages. */
    public static final PageStoreStatistics NONE =
            new PageStoreStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** The sum, for several directories. */
    public PageStoreStatistics plus(PageStoreStatistics other) {
        return new PageStoreStatistics(
                pages + other.pages,
                diskBytes + other.diskBytes,
                maxDiskBytes + other.maxDiskBytes,
                puts + other.puts,
                evictions + other.evictions,
                rejections + other.rejections,
                damaged + other.damaged,
                removed + other.removed,
                writeFailures + other.writeFailures,
                directories + other.directories,
                directoriesOut + other.directoriesOut);
    }
}
