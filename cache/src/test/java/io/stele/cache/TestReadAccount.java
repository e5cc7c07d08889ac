package io.stele.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TestReadAccount {
    private final ReadAccount account = new ReadAccount();

    @Test
    void roundsAreTheLongestChain() {
        ReadAccount.Request first = account.begin();
        ReadAccount.Request beside = account.begin();
        first.ended(10);
        ReadAccount.Request second = account.begin();
        beside.ended(20);
        assertThat(account.rounds()).isOne();
        second.ended(0); // failed
        account.begin().ended(5);
        account.hedged();
        assertThat(account.rounds()).isEqualTo(3);
        assertThat(account.requests()).isEqualTo(5);
        assertThat(account.hedges()).isOne();
        assertThat(account.storeBytes()).isEqualTo(35);
    }

    @Test
    void workIsInTheAccountOfItsThread() {
        SingleFlightCache<String, byte[]> cache =
                new SingleFlightCache<>("test", 1 << 20, bytes -> bytes.length);
        cache.put("k", new byte[100]);
        assertThat(cache.find("k")).isPresent();
        ReadAccount.fromDisk(7);
        ReadAccount.request().ended(7);
        assertThat(account.memoryBytes()).isZero();
        account.run(
                () -> {
                    assertThat(cache.find("k")).isPresent();
                    assertThat(cache.peek("k")).as("which is no use").isPresent();
                    ReadAccount.fromDisk(3);
                    ReadAccount.request().ended(4);
                    new ReadAccount().run(() -> ReadAccount.fromDisk(1_000));
                });
        assertThat(account.memoryBytes()).isEqualTo(100);
        assertThat(account.diskBytes()).isEqualTo(3);
        assertThat(account.storeBytes()).isEqualTo(4);
        assertThat(ReadAccount.current()).isEmpty();
    }

    @Test
    void anotherThreadCarriesIt() {
        Runnable carried = account.call(() -> ReadAccount.carry(() -> ReadAccount.fromDisk(5)));
        CompletableFuture.runAsync(carried).join();
        CompletableFuture.runAsync(ReadAccount.carry(() -> ReadAccount.fromDisk(50))).join();
        assertThat(account.diskBytes()).isEqualTo(5);
    }

    @Test
    void failuresComeThrough() {
        assertThatThrownBy(
                        () ->
                                account.call(
                                        () -> {
                                            throw new IOException("away");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("away");
    }
}
