package io.stele.connector.read;

import io.stele.storage.format.ChecksummedFile;
import io.trino.orc.metadata.StripeInformation;
import java.io.IOException;

/**
 * What is around the data of a stripe, as it is in the file: its row indexes, and its footer, which
 * says where its streams are. A scan that finds its columns decoded needs nothing else of a stripe.
 *
 * @param index not to be changed
 * @param footer not to be changed
 */
record StripeEnds(byte[] index, byte[] footer) implements KeptOfFile {
    /** Larger ones are read with the data each time: of files of other writers than ours. */
    static final long MAX_BYTES = 4L << 20;

    static StripeEnds read(ChecksummedFile file, StripeInformation stripe) throws IOException {
        byte[] index = new byte[Math.toIntExact(stripe.getIndexLength())];
        file.read(stripe.getOffset(), index, 0, index.length);
        byte[] footer = new byte[Math.toIntExact(stripe.getFooterLength())];
        file.read(footerOffset(stripe), footer, 0, footer.length);
        return new StripeEnds(index, footer);
    }

    static boolean isKept(StripeInformation stripe) {
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
