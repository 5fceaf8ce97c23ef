#!/usr/bin/env python3
"""Tests the page in headless Chromium. Exits with 77 if the browser or its driver is missing.

usage: test.py PAGE.html [DIRECTORY]      DIRECTORY: where screenshots go
"""

import pathlib
import shutil
import sys

if not shutil.which("chromium") or not shutil.which("chromedriver"):
    print("skipped: chromium is missing (Debian: sh scripts/deps.sh site)")
    sys.exit(77)
try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print("skipped: python3-selenium is missing (Debian: sh scripts/deps.sh site)")
    sys.exit(77)


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=webdriver.chrome.service.Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(120)
    return driver


def set_screen(driver, width, height, dark):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})


def open_page(driver, page):
    driver.get(page.as_uri())
    WebDriverWait(driver, 120).until(lambda d: d.execute_script("return document.documentElement.dataset.ready") == "yes")


def numbers(driver):
    return driver.execute_script("""return Object.fromEntries([...document.querySelectorAll('#numbers > div')].map(
        (box) => [box.querySelector('dt').innerText, box.querySelector('dd').innerText]))""")


def whole(text):
    return int(text.split()[0].replace(",", ""))


def press(driver, selector):
    """By the keyboard, as someone without a mouse does."""
    element = driver.find_element(By.CSS_SELECTOR, selector)
    driver.execute_script("arguments[0].focus()", element)
    element.send_keys(Keys.ENTER)


def test_words(driver):
    answer = driver.find_element(By.ID, "word-answer")
    assert "No, certainly not" in answer.text, answer.text
    press(driver, "#word")
    assert "Yes, it is in the set" in answer.text, answer.text
    press(driver, "#word-remove")
    assert "No, certainly not" in answer.text, answer.text
    press(driver, "#word-remove")
    assert "was not added" in answer.text, answer.text


def test_tide(driver):
    before = numbers(driver)
    assert whole(before["Items"]) == 100
    press(driver, "[data-add='1000']")
    grown = numbers(driver)
    assert whole(grown["Items"]) == 1100 and whole(grown["Buckets"]) > whole(before["Buckets"])
    press(driver, "[data-remove='1000']")
    shrunk = numbers(driver)
    assert whole(shrunk["Items"]) == 100 and whole(shrunk["Buckets"]) < whole(grown["Buckets"])
    press(driver, "#copies")
    assert whole(numbers(driver)["Items"]) == 120 and whole(numbers(driver)["Copies of one key"]) >= 20
    press(driver, "#empty")
    assert whole(numbers(driver)["Items"]) == 100


def test_plan(driver):
    rows = [row.text for row in driver.find_elements(By.CSS_SELECTOR, "#rows tr")]
    assert any(row.startswith("Tidal") for row in rows) and any(row.startswith("Bloom") for row in rows), rows
    assert "Bloom" in driver.find_element(By.ID, "advice").text
    items = driver.find_element(By.ID, "items")
    items.clear()
    items.send_keys("0")
    assert "Not possible" in driver.find_element(By.ID, "advice").text
    items.clear()
    items.send_keys("1000000")


def test_papers(driver):
    for chart in ("chart-slots", "chart-bytes", "chart-rate"):
        assert len(driver.find_elements(By.CSS_SELECTOR, f"#{chart} polyline")) == 4
    press(driver, "#again")


def test_layout(driver, width):
    wide = driver.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width, f"the page is {wide} pixels wide on a screen of {width}"
    cut = driver.execute_script("""return [...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth)
        .concat([...document.querySelectorAll('svg text')].filter((e) => e.getBBox().x < 0)).map((e) => e.textContent)""")
    assert cut == [], f"cut off on a screen of {width}: {cut}"


def check_page(driver, page, width, dark, directory):
    set_screen(driver, width, 1000, dark)
    open_page(driver, page)
    for test in (test_words, test_tide, test_plan, test_papers):
        test(driver)
    test_layout(driver, width)
    log = driver.get_log("browser")
    assert log == [], log
    if directory is not None:
        press(driver, "[data-add='1000']")
        set_screen(driver, width, driver.execute_script("return document.documentElement.scrollHeight"), dark)
        driver.save_screenshot(str(directory / f"{width}{'-dark' if dark else ''}.png"))


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    directory = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    driver = browser()
    try:
        for width, dark in ((1280, False), (390, False), (1280, True)):
            check_page(driver, page, width, dark, directory)
    finally:
        driver.quit()
    print("site: ok")


if __name__ == "__main__":
    main()
