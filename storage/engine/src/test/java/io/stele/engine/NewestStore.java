package io.stele.engine;

import io.stele.objectstore.ObjectStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;

/** The store of a node's newest start, so that one layer over it sees what a start does. */
final class NewestStore {
    private NewestStore() {}

    /**
     * @param newest set before each start
     */
    static ObjectStore of(AtomicReference<ObjectStore> newest) {
        return (ObjectStore)
                Proxy.newProxyInstance(
                        ObjectStore.class.getClassLoader(),
                        new Class<?>[] {ObjectStore.class},
                        (proxy, method, arguments) -> {
                            try {
                                return method.invoke(newest.get(), arguments);
                            } catch (InvocationTargetException failed) {
                                throw failed.getCause();
                            }
                        });
    }
}
