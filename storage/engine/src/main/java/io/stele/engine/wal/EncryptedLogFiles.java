package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.encryption.Encryption;

/**
 * A wrapper of log files that adds an encryption, with which the log's writer encrypts the records
 * when it encodes them (see {@link WalFormat}). Headers and checksums stay plain, so a group that a
 * crash left incomplete is still distinguished from damage. As thread-safe as the log files that it
 * wraps.
 */
public final class EncryptedLogFiles extends ForwardingLogFiles {
    private final Encryption encryption;

    public EncryptedLogFiles(LogFiles files, Encryption encryption) {
        super(files);
        this.encryption = requireNonNull(encryption, "encryption is null");
    }

    @Override
    public Encryption encryption() {
        return encryption;
    }
}
