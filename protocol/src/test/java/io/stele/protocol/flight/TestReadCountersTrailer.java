package io.stele.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.stele.protocol.api.status.ReadCounters;
import org.junit.jupiter.api.Test;

class TestReadCountersTrailer {
    private static final Metadata.Key<String> KEY =
            Metadata.Key.of("stele-read-counters", Metadata.ASCII_STRING_MARSHALLER);

    private static Metadata of(String text) {
        Metadata trailers = new Metadata();
        trailers.put(KEY, text);
        return trailers;
    }

    @Test
    void countersComeBack() {
        ReadCounters counters = new ReadCounters(1, 2, 3, Long.MAX_VALUE, 0, 6);
        Metadata trailers = new Metadata();
        ReadCountersTrailer.put(counters, trailers);
        assertThat(trailers.get(KEY))
                .isEqualTo(
                        "requests=1 rounds=2 hedges=3 store-bytes=9223372036854775807 disk-bytes=0"
                                + " memory-bytes=6");
        assertThat(ReadCountersTrailer.find(trailers)).contains(counters);
    }

    @Test
    void eitherSideMayBeNewer() {
        assertThat(ReadCountersTrailer.find(new Metadata())).isEmpty();
        assertThat(ReadCountersTrailer.find(of("tape-bytes=7 requests=2 word =9")))
                .contains(new ReadCounters(2, 0, 0, 0, 0, 0));
        assertThat(ReadCountersTrailer.find(of("requests=many"))).isEmpty();
    }
}
