package io.stele.columnfile.orc;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.objectstore.retrieval.ByteRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.orc.OrcConf;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.BufferChunkList;
import org.apache.orc.impl.OrcIndex;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.reader.StripePlanner;
import org.apache.orc.impl.reader.tree.TypeReader;

/**
 * A dry-run data reader that collects the ranges of a stripe that the ORC library reads for some
 * row groups. The library's own planner determines the ranges; no data are read. Confined to one
 * thread.
 */
final class StripeDataRanges extends StripeDataReader {
    private final List<ByteRange> ranges = new ArrayList<>();

    private StripeDataRanges(
            ChecksummedFile content,
            ReaderImpl file,
            StripeInformation stripe,
            StripeMetadata metadata) {
        super(content, file, stripe, metadata, Map.of());
    }

    /**
     * The ranges in order of their offsets.
     *
     * @param columns that are read, by the library's column number
     * @param included the row groups of the stripe
     */
    static List<ByteRange> find(
            ChecksummedFile content,
            ReaderImpl file,
            StripeInformation stripe,
            StripeMetadata metadata,
            boolean[] columns,
            boolean[] included)
            throws IOException {
        StripeDataRanges reader = new StripeDataRanges(content, file, stripe, metadata);
        StripePlanner planner = planner(file, stripe, columns, reader);
        planner.readData(
                planner.readRowIndex(null, null), included, false, TypeReader.ReadPhase.ALL);
        return reader.ranges;
    }

    /** The ranges of all row groups in order of their offsets; needs no row indexes. */
    static List<ByteRange> findAll(
            ChecksummedFile content,
            ReaderImpl file,
            StripeInformation stripe,
            StripeMetadata metadata,
            boolean[] columns)
            throws IOException {
        StripeDataRanges reader = new StripeDataRanges(content, file, stripe, metadata);
        StripePlanner planner = planner(file, stripe, columns, reader);
        planner.readData(null, null, false, TypeReader.ReadPhase.ALL);
        return reader.ranges;
    }

    /** The row indexes of some columns, decoded from the metadata. */
    static OrcIndex rowIndex(
            ChecksummedFile content,
            ReaderImpl file,
            StripeInformation stripe,
            StripeMetadata metadata,
            boolean[] columns)
            throws IOException {
        StripeDataRanges reader = new StripeDataRanges(content, file, stripe, metadata);
        return planner(file, stripe, columns, reader).readRowIndex(null, null);
    }

    /** The library's planner, after it has parsed the stripe. */
    private static StripePlanner planner(
            ReaderImpl file, StripeInformation stripe, boolean[] columns, StripeDataRanges reader)
            throws IOException {
        StripePlanner planner =
                new StripePlanner(
                        file.getSchema(),
                        file.getEncryption(),
                        reader,
                        file.getWriterVersion(),
                        true,
                        (Integer) OrcConf.ORC_MAX_DISK_RANGE_CHUNK_LIMIT.getDefaultValue());
        planner.parseStripe(stripe, columns);
        return planner;
    }

    @Override
    public BufferChunkList readFileData(BufferChunkList list, boolean doForceDirect) {
        ranges.addAll(ranges(missing(list)));
        return list;
    }
}
