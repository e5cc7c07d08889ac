package io.stele.storage.objectstore;

class TestInMemoryObjectStore extends ObjectStoreContract {
    @Override
    ObjectStore store() {
        return new InMemoryObjectStore();
    }
}
