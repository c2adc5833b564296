"""What people write today: what comes in at a serial port goes out to a broker. Nothing is kept."""

import json
import sys
import time

import paho.mqtt.client as mqtt
import serial
from paho.mqtt.enums import CallbackAPIVersion


def main() -> None:
    port, broker_port, topic = sys.argv[1:]
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", int(broker_port))
    client.loop_start()
    number = 0
    with serial.Serial(port, 115200) as line:
        while True:
            text = line.readline().strip().decode("ascii", "replace")
            if not text:
                continue
            number += 1
            payload = {"number": number, "card": text, "at": time.time()}
            client.publish(topic, json.dumps(payload), qos=1)


if __name__ == "__main__":
    main()
