package io.stele.storage.objectstore;

import io.stele.storage.encryption.TestKeys;
import java.io.IOException;

/** The contract of object stores, where the files of a folder are encrypted. */
final class TestEncryptedLocalObjectStore extends TestLocalObjectStoreWithOpenFiles {
    @Override
    ObjectStore store() throws IOException {
        return TestKeys.encryption("k").over(super.store());
    }
}
