package io.stele.connector.read.opening;

import static io.airlift.units.DataSize.Unit.KILOBYTE;
import static io.airlift.units.DataSize.Unit.MEGABYTE;

import io.airlift.units.DataSize;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.objectstore.PrefetchBuffer;
import io.stele.objectstore.retrieval.GapRule;
import io.trino.orc.OrcReaderOptions;

/** The options of trino-orc for reads of column files. Stateless. */
final class FileReaderOptions {
    /** A row group of eight-byte numbers has this size. */
    private static final DataSize SPARSE_READ = DataSize.of(64, KILOBYTE);

    /**
     * Below this size the latency of a request exceeds its transfer time, so the stripe is read
     * whole.
     */
    private static final DataSize TINY_STRIPE = DataSize.of(1, MEGABYTE);

    /**
     * Bytes of length before each chunk of a compressed stream (ORC specification, Compression).
     */
    private static final int CHUNK_HEADER = 3;

    /**
     * Between columns that are prefetched into memory: 256 KiB for a store of 30 ms a request and
     * 20 ms a MiB. Requests are parallel, so the bytes of a gap cost more of a scan's time than
     * another request does.
     */
    private static final GapRule PREFETCH_GAP = new GapRule(256 << 10, 64 << 10, 1 << 20);

    /** For files that are read from the warehouse itself. */
    static final OrcReaderOptions DIRECT = new OrcReaderOptions();

    /**
     * For files that are prefetched, or whose pages are cached nearby: trino-orc reads the bytes
     * between wanted columns, up to 1 MB, and stripes up to 8 MB whole, which would fetch pages
     * that are not needed.
     */
    static final OrcReaderOptions PAGED =
            new OrcReaderOptions()
                    .withMaxMergeDistance(SPARSE_READ)
                    .withTinyStripeThreshold(TINY_STRIPE);

    private FileReaderOptions() {}

    /**
     * The greatest gap between columns of a file that are prefetched by one request. A data cache
     * would store the bytes of a larger gap, and merges the requests itself.
     */
    static long gapBytes(ChecksummedFile file) {
        return file.unchecked() instanceof PrefetchBuffer
                ? file.readingAhead()
                        .map(ahead -> (long) ahead.gapBytes(PREFETCH_GAP))
                        .orElse(SPARSE_READ.toBytes())
                : SPARSE_READ.toBytes();
    }

    /**
     * Options for few row groups: streams are read piece by piece, without the data between the
     * chosen row groups. A piece must hold a whole compressed chunk, or trino-orc regards the file
     * as malformed. Files of other writers may have larger chunks.
     *
     * @param chunkBytes most bytes that are compressed together in the file
     */
    static OrcReaderOptions sparse(int chunkBytes) {
        DataSize piece =
                DataSize.ofBytes(Math.max(SPARSE_READ.toBytes(), (long) chunkBytes + CHUNK_HEADER));
        return new OrcReaderOptions()
                .withMaxBufferSize(piece)
                .withStreamBufferSize(piece)
                .withMaxMergeDistance(SPARSE_READ);
    }
}
