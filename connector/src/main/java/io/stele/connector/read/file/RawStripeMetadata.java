package io.stele.connector.read.file;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.trino.orc.metadata.StripeInformation;
import java.io.IOException;

/**
 * The undecoded file metadata of one stripe: its row indexes, and its footer, which has the
 * positions of its streams. A scan that finds its columns in the decoded-column cache needs nothing
 * else of a stripe.
 *
 * @param index not to be modified
 * @param footer not to be modified
 */
record RawStripeMetadata(byte[] index, byte[] footer) implements CachedFilePart {
    /** Larger metadata, which only files of other writers have, is read with the data each time. */
    static final long MAX_BYTES = 4L << 20;

    static RawStripeMetadata read(ChecksummedFile file, StripeInformation stripe)
            throws IOException {
        byte[] index = new byte[Math.toIntExact(stripe.getIndexLength())];
        file.read(stripe.getOffset(), index, 0, index.length);
        byte[] footer = new byte[Math.toIntExact(stripe.getFooterLength())];
        file.read(footerOffset(stripe), footer, 0, footer.length);
        return new RawStripeMetadata(index, footer);
    }

    static boolean isCacheable(StripeInformation stripe) {
        return stripe.getIndexLength() + stripe.getFooterLength() <= MAX_BYTES;
    }

    static long footerOffset(StripeInformation stripe) {
        return stripe.getOffset() + stripe.getIndexLength() + stripe.getDataLength();
    }

    @Override
    public long retainedBytes() {
        return index.length + footer.length + 160L;
    }
}
