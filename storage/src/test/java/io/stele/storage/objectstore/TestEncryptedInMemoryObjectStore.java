package io.stele.storage.objectstore;

import io.stele.storage.encryption.TestKeys;

/** The contract of object stores, where what is in memory is encrypted. */
class TestEncryptedInMemoryObjectStore extends ObjectStoreContract {
    @Override
    ObjectStore store() {
        return TestKeys.encryption("k").over(new InMemoryObjectStore());
    }
}
