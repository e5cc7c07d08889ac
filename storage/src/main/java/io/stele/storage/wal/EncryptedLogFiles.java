package io.stele.storage.wal;

import static java.util.Objects.requireNonNull;

import io.stele.storage.encryption.Encryption;
import java.io.IOException;
import java.util.List;

/**
 * Log files whose records are encrypted as they are laid out (see {@link WalFormat}): headers and
 * checksums stay what they are, so that what a crash left of a group is still told from damage. As
 * safe for threads as what it wraps.
 */
public record EncryptedLogFiles(LogFiles files, Encryption encryption) implements LogFiles {
    public EncryptedLogFiles {
        requireNonNull(files, "files is null");
        requireNonNull(encryption, "encryption is null");
    }

    @Override
    public void takeOver(long epoch) throws IOException {
        files.takeOver(epoch);
    }

    @Override
    public boolean isSegmentPerGroup() {
        return files.isSegmentPerGroup();
    }

    @Override
    public List<Long> segments() throws IOException {
        return files.segments();
    }

    @Override
    public Writer create(long segment) throws IOException {
        return files.create(segment);
    }

    @Override
    public Reader open(long segment) throws IOException {
        return files.open(segment);
    }

    @Override
    public void seal(long segment, long sizeBytes, long rewriteFrom) throws IOException {
        files.seal(segment, sizeBytes, rewriteFrom);
    }

    @Override
    public void delete(long segment) throws IOException {
        files.delete(segment);
    }

    @Override
    public String describe(long segment) {
        return files.describe(segment);
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
