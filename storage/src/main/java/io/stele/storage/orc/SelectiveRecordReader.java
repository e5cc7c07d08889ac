package io.stele.storage.orc;

import java.io.IOException;
import org.apache.orc.Reader;
import org.apache.orc.impl.ReaderImpl;
import org.apache.orc.impl.RecordReaderImpl;

/**
 * ORC's record reader for chosen row groups of one stripe: the library chooses by predicate only.
 * Confined to one thread.
 */
final class SelectiveRecordReader extends RecordReaderImpl {
    private final boolean[] included;

    /**
     * @param options limit the reader to one stripe
     * @param included the row groups of that stripe to read
     */
    SelectiveRecordReader(ReaderImpl file, Reader.Options options, boolean[] included)
            throws IOException {
        // Before super(), which reads the stripe and asks.
        this.included = included.clone();
        super(file, options);
    }

    @Override
    protected boolean[] pickRowGroups() {
        return included;
    }
}
