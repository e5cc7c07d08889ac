package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorMetadata;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * A decorator of the metadata that measures each call of Trino. A dynamic proxy, because the
 * interface has some 150 methods, and grows.
 */
public final class TimedMetadata implements InvocationHandler {
    private final ConnectorMetadata metadata;
    private final PlanningTimes times;

    private TimedMetadata(ConnectorMetadata metadata, PlanningTimes times) {
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.times = requireNonNull(times, "times is null");
    }

    public static ConnectorMetadata of(ConnectorMetadata metadata, PlanningTimes times) {
        return (ConnectorMetadata)
                Proxy.newProxyInstance(
                        TimedMetadata.class.getClassLoader(),
                        new Class<?>[] {ConnectorMetadata.class},
                        new TimedMetadata(metadata, times));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments)
            throws Throwable {
        long start = System.nanoTime();
        try {
            return method.invoke(metadata, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        } finally {
            times.called(System.nanoTime() - start);
        }
    }
}
