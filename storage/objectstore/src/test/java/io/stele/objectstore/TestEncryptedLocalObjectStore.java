package io.stele.objectstore;

import io.stele.objectstore.encryption.TestKeys;
import java.io.IOException;

/** The contract of object stores, where the files of a folder are encrypted. */
final class TestEncryptedLocalObjectStore extends TestLocalObjectStoreWithOpenFiles {
    @Override
    ObjectStore store() throws IOException {
        return TestKeys.encryption("k").over(super.store());
    }
}
