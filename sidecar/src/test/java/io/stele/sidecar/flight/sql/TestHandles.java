package io.stele.sidecar.flight.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.stele.protocol.SteleException;
import io.stele.sidecar.postgresql.wire.PostgresException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class TestHandles {
    private final AtomicLong nanoTime = new AtomicLong();
    private final Handles<Thing> handles =
            new Handles<>(
                    "a thing", 2, 100, Duration.ofMinutes(5), new SecureRandom(), nanoTime::get);

    private static final class Thing implements Handles.Held {
        private boolean isInUse;
        private int closed;

        @Override
        public boolean isInUse() {
            return isInUse;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    @Test
    void thereIsALimitOnTheirNumberAndSize() {
        ByteString first = handles.add("alice", new Thing(), 60);
        assertThatThrownBy(() -> handles.add("alice", new Thing(), 41))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Expected room for a thing of 41 bytes");
        ByteString second = handles.add("bob", new Thing(), 40);
        assertThatThrownBy(() -> handles.add("alice", new Thing(), 0))
                .isInstanceOf(SteleException.class);
        assertThatThrownBy(() -> handles.resize(second, "bob", 41))
                .isInstanceOf(SteleException.class);
        handles.remove(first, "alice").close();
        handles.resize(second, "bob", 100);
        assertThat(handles.count()).isEqualTo(1);
    }

    @Test
    void eachHasOneOwner() {
        ByteString handle = handles.add("alice", new Thing(), 0);
        assertThatThrownBy(() -> handles.find(handle, "bob"))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("of user 'bob'");
        assertThatThrownBy(() -> handles.remove(handle, "bob"))
                .isInstanceOf(PostgresException.class);
        assertThat(handles.find(handle, "alice")).isNotNull();
    }

    @Test
    void whatIsNotUsedIsClosedOnce() {
        Thing idle = new Thing();
        Thing busy = new Thing();
        busy.isInUse = true;
        ByteString first = handles.add("alice", idle, 50);
        ByteString second = handles.add("alice", busy, 50);
        nanoTime.addAndGet(Duration.ofMinutes(6).toNanos());
        handles.expire();
        handles.expire();
        assertThat(idle.closed).isEqualTo(1);
        assertThat(busy.closed).isZero();
        assertThatThrownBy(() -> handles.find(first, "alice"))
                .isInstanceOf(PostgresException.class);
        assertThat(handles.find(second, "alice")).isSameAs(busy);
        handles.close();
        assertThat(busy.closed).isEqualTo(1);
        assertThat(handles.count()).isZero();
    }
}
