package io.stele.storage.wal;

import static java.util.Objects.requireNonNull;

import io.stele.storage.encryption.Encryption;

/**
 * Log files whose records are encrypted as they are laid out (see {@link WalFormat}): headers and
 * checksums stay what they are, so that what a crash left of a group is still told from damage. As
 * safe for threads as what it wraps.
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
