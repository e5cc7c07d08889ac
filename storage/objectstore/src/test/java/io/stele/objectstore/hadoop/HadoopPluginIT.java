package io.stele.objectstore.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.testing.MiniHdfs;
import java.io.File;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * The store inside a plugin: all of its classes and Hadoop's come from a class loader that the
 * calling thread does not have as its own, and that sees nothing of the server's.
 */
final class HadoopPluginIT {
    @Test
    void worksFromAClassLoaderOfItsOwn() throws Exception {
        String location = MiniHdfs.shared().location("plugin/1");
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        // Not closed: Hadoop's hook at the end of the process still loads a class
        URLClassLoader plugin = new URLClassLoader(classPath(), platform);
        try {
            thread.setContextClassLoader(platform);
            Class<?> storeClass = in(plugin, HadoopObjectStore.class);
            assertThat(storeClass).isNotEqualTo(HadoopObjectStore.class);
            Class<?> locationClass = in(plugin, HadoopLocation.class);
            Class<?> configClass = in(plugin, HadoopConfig.class);
            Class<?> retrievalClass = in(plugin, RetrievalConfig.class);
            Class<?> threadsClass = in(plugin, RetrievalThreads.class);
            Object store =
                    storeClass
                            .getMethod(
                                    "open",
                                    locationClass,
                                    configClass,
                                    retrievalClass,
                                    RandomGenerator.class,
                                    LongConsumer.class,
                                    threadsClass)
                            .invoke(
                                    null,
                                    locationClass
                                            .getMethod("parse", String.class)
                                            .invoke(null, location),
                                    configClass.getConstructor().newInstance(),
                                    retrievalClass.getConstructor().newInstance(),
                                    new Random(1),
                                    (LongConsumer) _ -> {},
                                    threads(threadsClass));
            byte[] content = {1, 2, 3};
            assertThat(
                            storeClass
                                    .getMethod("createIfAbsent", String.class, byte[].class)
                                    .invoke(store, "a/b", content))
                    .isEqualTo(true);
            assertThat(storeClass.getMethod("readFully", String.class).invoke(store, "a/b"))
                    .isEqualTo(content);
            storeClass.getMethod("close").invoke(store);
            assertThat(thread.getContextClassLoader()).isEqualTo(platform);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static Object threads(Class<?> threadsClass) throws ReflectiveOperationException {
        return threadsClass
                .getConstructor(
                        ThreadFactory.class,
                        ThreadFactory.class,
                        LongSupplier.class,
                        InstantSource.class,
                        Consumer.class)
                .newInstance(
                        Thread.ofPlatform().daemon().factory(),
                        Thread.ofVirtual().factory(),
                        (LongSupplier) System::nanoTime,
                        InstantSource.system(),
                        (Consumer<Throwable>)
                                failure -> {
                                    throw new AssertionError(failure);
                                });
    }

    private static Class<?> in(ClassLoader loader, Class<?> type) throws ClassNotFoundException {
        return loader.loadClass(type.getName());
    }

    private static URL[] classPath() throws Exception {
        List<URL> urls = new ArrayList<>();
        String all =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : all.split(File.pathSeparator)) {
            URI uri = Path.of(entry).toUri();
            urls.add(uri.toURL());
        }
        return urls.toArray(new URL[0]);
    }
}
