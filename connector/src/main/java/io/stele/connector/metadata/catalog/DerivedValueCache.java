package io.stele.connector.metadata.catalog;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import java.util.function.Function;

/**
 * A cache of values derived from immutable objects that queries share, for as long as an object is
 * referenced elsewhere. Keys are compared by identity: comparing two definitions takes as long as
 * deriving the value again. Thread-safe.
 */
public final class DerivedValueCache<K, V> {
    /** More tables than queries scan again and again; each takes some KB. */
    private static final int MAX_OBJECTS = 1_000;

    private final LoadingCache<K, V> made;

    /**
     * @param make returns equal results for one object; the results must not reference it
     */
    public DerivedValueCache(Function<K, V> make) {
        this.made =
                CacheBuilder.newBuilder()
                        .weakKeys()
                        .maximumSize(MAX_OBJECTS)
                        .build(CacheLoader.from(make::apply));
    }

    public V of(K object) {
        return made.getUnchecked(object);
    }
}
