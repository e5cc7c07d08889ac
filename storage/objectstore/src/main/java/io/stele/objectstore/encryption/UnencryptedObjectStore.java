package io.stele.objectstore.encryption;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.util.List;

/**
 * An object store wrapper for a process without master keys that fails whole reads of encrypted
 * objects, so that they are not mistaken for damaged ones. Every process first reads objects as a
 * whole (catalogs, manifests).
 */
final class UnencryptedObjectStore extends ForwardingObjectStore {
    UnencryptedObjectStore(ObjectStore store) {
        super(store);
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        byte[] content = super.readFully(path);
        if (EncryptedTrailer.isMagic(content, 0)) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected a plain object, found an encrypted one and no master keys (stele.encryption.*): "
                            + describe(path),
                    OtherKeysException.missing());
        }
        return content;
    }

    @Override
    public ObjectReader open(String path, long sizeBytes) throws IOException {
        return delegate().open(path, sizeBytes);
    }

    @Override
    public ObjectStore admittingOnSecondAccess() {
        return new UnencryptedObjectStore(delegate().admittingOnSecondAccess());
    }

    @Override
    public ObjectStore replacing(List<ObjectEntry> replaced) {
        return new UnencryptedObjectStore(delegate().replacing(replaced));
    }
}
